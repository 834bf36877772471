package child

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for children.
func TestMain(m *testing.M) {
	switch os.Getenv("CHILD_TEST") {
	case "waits":
		fmt.Fprintln(os.Stderr, "I wait")
		fmt.Println("up")
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		return
	case "fails":
		fmt.Fprintln(os.Stderr, "first trouble")
		fmt.Fprintln(os.Stderr, "last trouble")
		os.Exit(3)
	case "parent": // starts a grandchild that would outlive it
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CHILD_TEST=waits")
		in, err := cmd.StdinPipe()
		if err != nil || cmd.Start() != nil {
			os.Exit(4)
		}
		defer in.Close()
		fmt.Println(cmd.Process.Pid)
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		return
	}
	os.Exit(m.Run())
}

// start starts this test binary in a role. Its standard input stays open.
func start(t *testing.T, role string) (*Process, <-chan string) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	first := make(chan string, 1)
	p, err := Start(Options{
		Name: role, File: os.Args[0], Env: append(os.Environ(), "CHILD_TEST="+role), Stdin: r, Stdout: &Lines{To: first},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p, first
}

func TestStopEndsAChild(t *testing.T) {
	p, up := start(t, "waits")
	<-up
	err := p.Stop()
	select {
	case <-p.Exited():
	default:
		t.Fatal("Stop returned before the child had ended")
	}
	// A child that does not handle SIGTERM ends by it, and that is told.
	if runtime.GOOS != "windows" && (err == nil || !strings.Contains(err.Error(), "terminated")) {
		t.Errorf("error %v", err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("a second Stop: %v", err)
	}
	if u, ok := p.Usage(); runtime.GOOS == "linux" && (!ok || u.PeakRSSBytes <= 0) {
		t.Errorf("usage %+v %v", u, ok)
	}
}

func TestAFaultCarriesTheEndOfTheLog(t *testing.T) {
	p, _ := start(t, "fails")
	<-p.Exited()
	err := p.Fault("ended: %w", p.Err())
	for _, want := range []string{"fails: ended: exit status 3", "fails's log ends:", "last trouble"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
}

func TestNoSuchProgram(t *testing.T) {
	if _, err := Start(Options{Name: "ghost", File: "/no/such/program"}); err == nil || !strings.Contains(err.Error(), "start ghost") {
		t.Errorf("error %v", err)
	}
}

func TestKillEndsTheWholeGroup(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	p, first := start(t, "parent")
	grandchild := <-first
	p.Kill()
	// The grandchild is no child of ours: it may be a zombie of its new parent,
	// but it must not run.
	for range 5000 {
		b, err := os.ReadFile("/proc/" + grandchild + "/stat")
		if err != nil || strings.Contains(string(b), ") Z ") {
			return
		}
		<-time.After(time.Millisecond)
	}
	t.Errorf("grandchild %s still runs", grandchild)
}

func TestTailKeepsTheEnd(t *testing.T) {
	var l tail
	for i := range 10_000 {
		fmt.Fprintf(&l, "line %d\n", i)
	}
	s := l.String()
	if len(s) > tailBytes || !strings.HasSuffix(s, "line 9999") {
		t.Errorf("%d bytes, ending in %q", len(s), s[len(s)-20:])
	}
}

func TestLines(t *testing.T) {
	got := make(chan string, 4)
	l := &Lines{To: got}
	for _, part := range []string{"a", "b\nc", "d\n", "e"} {
		if _, err := l.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := <-got, <-got; a != "ab" || b != "cd" || len(got) != 0 {
		t.Errorf("%q %q and %d more", a, b, len(got))
	}
	if _, err := l.Write(make([]byte, maxLine)); err == nil {
		t.Error("a line without end is taken")
	}
}
