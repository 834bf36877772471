package proc

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
)

// TestMain lets the test binary stand in for a child that waits.
func TestMain(m *testing.M) {
	if os.Getenv("PROC_TEST_CHILD") != "" {
		fmt.Println("up")
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		return
	}
	os.Exit(m.Run())
}

func TestOwnCPUTimeGrowsWithWork(t *testing.T) {
	before, err := Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for { // until the clock has moved by 5 ms of work
		for i := range 1_000_000 {
			sum += i
		}
		now, err := Self()
		if err != nil {
			t.Fatal(err)
		}
		if int64(now)-before.Procs[os.Getpid()].CPUNs > 5_000_000 {
			break
		}
	}
	after, err := Read(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	u, err := Between(before, after)
	if err != nil {
		t.Fatal(err)
	}
	if u.CPUNs < 5_000_000 || u.PeakRSSBytes <= 0 || u.Processes < 1 {
		t.Errorf("use %+v after 5 ms of work (%d)", u, sum)
	}
	if after.Procs[os.Getpid()].RSSBytes <= 0 {
		t.Error("no memory")
	}
}

func TestTreeHoldsChildren(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "PROC_TEST_CHILD=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { in.Close(); _ = cmd.Wait() }()
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for name, tree := range map[string]func(int) ([]int, error){"children files": Tree, "parents of all": treeByParent} {
		pids, err := tree(os.Getpid())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if pids[0] != os.Getpid() || !slices.Contains(pids, cmd.Process.Pid) {
			t.Errorf("%s: %v holds not both %d and its child %d", name, pids, os.Getpid(), cmd.Process.Pid)
		}
	}
}

func TestMissingProcess(t *testing.T) {
	const none = 1 << 30 // above the kernel's largest pid
	if _, err := Read(none); err == nil {
		t.Error("read a process that is not there")
	}
	if _, err := CPU(none); err == nil {
		t.Error("CPU clock of a process that is not there")
	}
}

func TestParseStat(t *testing.T) {
	s, err := parseStat([]byte("12 (odd) name) S 7 1 1 0 -1 0 0 0 0 0 11 12 13 14 20 0 1 0 0"))
	if err != nil || s.ppid != 7 || s.deadTicks != 27 {
		t.Errorf("%+v %v, want parent 7 and 27 ticks", s, err)
	}
	for _, bad := range []string{"", "1 (x", "1 (x) S 1 2 3", "1 (x) S y 1 1 0 -1 0 0 0 0 0 1 1 1 1", "1 (x) S 1 1 1 0 -1 0 0 0 0 0 1 1 z 1"} {
		if _, err := parseStat([]byte(bad)); err == nil {
			t.Errorf("parsed %q", bad)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("12 (odd) name) S 7 1 1 0 -1 0 0 0 0 0 11 12 13 14 20 0 1 0 0"))
	f.Add([]byte(")"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := parseStat(b); err == nil && len(b) < 20 {
			t.Errorf("parsed %q", b)
		}
	})
}

func FuzzParseStatus(f *testing.F) {
	f.Add([]byte("VmHWM:\t  1234 kB\nvoluntary_ctxt_switches:\t5\n"))
	f.Fuzz(func(_ *testing.T, b []byte) { parseStatus(b) })
}

func TestParseStatus(t *testing.T) {
	m := parseStatus([]byte("Name:\tx\nVmHWM:\t  1234 kB\nvoluntary_ctxt_switches:\t5\n"))
	if m["VmHWM"] != 1234 || m["voluntary_ctxt_switches"] != 5 || len(m) != 2 {
		t.Errorf("%v", m)
	}
}
