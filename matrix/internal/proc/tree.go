package proc

import (
	"fmt"
	"time"
)

// Reading is one process tree at one moment.
type Reading struct {
	At    time.Time
	Procs map[int]Process // by pid; the root is among them
	Root  int
}

// Process is one live process.
type Process struct {
	CPUNs         int64 // since its start, all threads, dead ones included
	DeadCPUNs     int64 // of children that ended and were waited for, in ticks of 10 ms
	RSSBytes      int64
	PeakRSSBytes  int64
	Voluntary     int64 // context switches of live threads
	Involuntary   int64
	Threads       int
	ParentProcess int
}

// Use is what a tree spent between two readings.
type Use struct {
	CPUNs        int64
	CPUTickNs    int64 // the part of CPUNs known only in ticks: of children that ended in between
	PeakRSSBytes int64 // sum over the tree of each process's own peak
	Voluntary    int64
	Involuntary  int64
	Processes    int // at the second reading
}

// Between is what the tree spent from a to b. Both are of the same root.
func Between(a, b *Reading) (Use, error) {
	if a.Root != b.Root {
		return Use{}, fmt.Errorf("readings of two trees: root %d and %d", a.Root, b.Root)
	}
	u := Use{Processes: len(b.Procs)}
	var waitedFor int64 // growth of the parents' record of dead children
	for pid, now := range b.Procs {
		before := a.Procs[pid] // zero for a process that began in between
		u.CPUNs += now.CPUNs - before.CPUNs
		u.Voluntary += max(0, now.Voluntary-before.Voluntary)
		u.Involuntary += max(0, now.Involuntary-before.Involuntary)
		u.PeakRSSBytes += now.PeakRSSBytes
		waitedFor += now.DeadCPUNs - before.DeadCPUNs
	}
	var goneBefore int64 // what the dead had already spent at a
	for pid, before := range a.Procs {
		if _, alive := b.Procs[pid]; !alive {
			goneBefore += before.CPUNs + before.DeadCPUNs
		}
	}
	if dead := waitedFor - goneBefore; waitedFor > 0 && dead > 0 {
		u.CPUNs += dead
		u.CPUTickNs = dead
	}
	return u, nil
}
