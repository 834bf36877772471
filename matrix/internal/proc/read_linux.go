package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tickNs is the length of one tick of /proc/PID/stat: USER_HZ is 100 in the
// Linux ABI on every architecture that Go supports.
const tickNs = 10_000_000

// maxPID is PID_MAX_LIMIT of the kernel. Above it the clock id would overflow
// and name another process.
const maxPID = 4 << 20

// CPU is the CPU time that a process has spent since its start, all its
// threads together and those that ended.
func CPU(pid int) (time.Duration, error) {
	// linux/posix-timers.h: a process's clock id is ^pid<<3 with CPUCLOCK_SCHED
	// (2) in its low bits.
	const cpuclockSched = 2
	if pid <= 0 || pid > maxPID {
		return 0, fmt.Errorf("CPU clock of process %d: no such process id", pid)
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|cpuclockSched), &ts); err != nil {
		return 0, fmt.Errorf("CPU clock of process %d: %w", pid, err)
	}
	return time.Duration(ts.Nano()), nil
}

// Self is the CPU time of this process.
func Self() (time.Duration, error) { return CPU(os.Getpid()) }

// Read reads the tree under root. A process that ends during the reading is
// left out; a missing root is an error.
func Read(root int) (*Reading, error) {
	pids, err := Tree(root)
	if err != nil {
		return nil, err
	}
	r := &Reading{At: time.Now(), Root: root, Procs: make(map[int]Process, len(pids))}
	for _, pid := range pids {
		p, err := readProcess(pid)
		if err != nil {
			if pid == root {
				return nil, fmt.Errorf("read process %d: %w", pid, err)
			}
			continue
		}
		r.Procs[pid] = p
	}
	return r, nil
}

// ReadSelf reads this process alone, without its children.
func ReadSelf() (*Reading, error) {
	pid := os.Getpid()
	p, err := readProcess(pid)
	if err != nil {
		return nil, fmt.Errorf("read this process: %w", err)
	}
	return &Reading{At: time.Now(), Root: pid, Procs: map[int]Process{pid: p}}, nil
}

func readProcess(pid int) (Process, error) {
	var p Process
	cpu, err := CPU(pid)
	if err != nil {
		return p, err
	}
	p.CPUNs = int64(cpu)
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return p, err
	}
	s, err := parseStat(stat)
	if err != nil {
		return p, fmt.Errorf("%s/stat: %w", dir, err)
	}
	p.DeadCPUNs, p.ParentProcess = s.deadTicks*tickNs, s.ppid
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return p, err
	}
	f := parseStatus(status)
	p.RSSBytes, p.PeakRSSBytes = f["VmRSS"]<<10, f["VmHWM"]<<10
	// The switches in /proc/PID/status are the main thread's alone.
	tasks, err := os.ReadDir(filepath.Join(dir, "task"))
	if err != nil {
		return p, err
	}
	for _, t := range tasks {
		status, err := os.ReadFile(filepath.Join(dir, "task", t.Name(), "status"))
		if err != nil {
			continue // the thread ended
		}
		f := parseStatus(status)
		p.Voluntary += f["voluntary_ctxt_switches"]
		p.Involuntary += f["nonvoluntary_ctxt_switches"]
		p.Threads++
	}
	return p, nil
}

// Tree is root and every process below it.
func Tree(root int) ([]int, error) {
	if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(root))); err != nil {
		return nil, fmt.Errorf("process %d: %w", root, err)
	}
	out := []int{root}
	for i := 0; i < len(out); i++ {
		kids, err := children(out[i])
		if errors.Is(err, errNoChildrenFile) {
			return treeByParent(root)
		}
		out = append(out, kids...)
	}
	return out, nil
}

var errNoChildrenFile = errors.New("the kernel has no /proc/PID/task/TID/children")

// children lists the children that any thread of pid started.
func children(pid int) ([]int, error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid), "task")
	tasks, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // the process ended meanwhile: no children
	}
	var out []int
	for _, t := range tasks {
		b, err := os.ReadFile(filepath.Join(dir, t.Name(), "children"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if _, err := os.Stat(filepath.Join(dir, t.Name())); err == nil {
				return nil, errNoChildrenFile
			}
			continue
		case err != nil:
			continue
		}
		for f := range strings.FieldsSeq(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				out = append(out, n)
			}
		}
	}
	return out, nil
}

// treeByParent finds the tree by every process's parent.
func treeByParent(root int) ([]int, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	kids := make(map[int][]int)
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		if s, err := parseStat(b); err == nil {
			kids[s.ppid] = append(kids[s.ppid], pid)
		}
	}
	out := []int{root}
	for i := 0; i < len(out); i++ {
		out = append(out, kids[out[i]]...)
	}
	return out, nil
}

type stat struct {
	ppid      int
	deadTicks int64 // cutime + cstime
}

// parseStat reads /proc/PID/stat. The command's name may hold blanks and
// parentheses, so fields are counted from the last ")".
func parseStat(b []byte) (stat, error) {
	i := bytes.LastIndexByte(b, ')')
	if i < 0 {
		return stat{}, errors.New("no command name")
	}
	f := strings.Fields(string(b[i+1:]))
	if len(f) < 15 {
		return stat{}, fmt.Errorf("%d fields after the name, want 15 or more", len(f))
	}
	ppid, err := strconv.Atoi(f[1])
	if err != nil {
		return stat{}, fmt.Errorf("parent: %w", err)
	}
	var ticks int64
	for _, s := range f[13:15] {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return stat{}, fmt.Errorf("children's time: %w", err)
		}
		ticks += n
	}
	return stat{ppid: ppid, deadTicks: ticks}, nil
}

// parseStatus reads the numbers of /proc/PID/status by name; sizes are in kB
// there.
func parseStatus(b []byte) map[string]int64 {
	out := make(map[string]int64)
	for line := range strings.Lines(string(b)) {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSuffix(strings.TrimSpace(value), " kB")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			out[name] = n
		}
	}
	return out
}

// ResetPeak makes the peak memory of this process count from now on. Where
// the kernel refuses, the peak stays that of the whole run.
func ResetPeak() {
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}
