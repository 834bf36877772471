package proc

import (
	"slices"
	"sync"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// Sampler reads the CPU time of process trees at a fixed interval, so that the
// time spent between two stamps of another process can be had afterwards: the
// generator alone knows when its measured part began.
//
// The error at either end is at most what the tree spends in one interval; a
// reading costs about a microsecond a process.
type Sampler struct {
	roots   map[string]int
	every   time.Duration
	refresh int // samples between two looks at the trees
	stop    chan struct{}
	stopped sync.WaitGroup

	pids   map[string][]int
	last   map[int]int64 // CPU time of each process at its last reading
	series map[string][]sample
}

type sample struct{ at, cpuNs int64 }

// SampleEvery is the usual interval.
const SampleEvery = 4 * time.Millisecond

// StartSampler begins to read the trees under roots, by name.
func StartSampler(roots map[string]int, every time.Duration) *Sampler {
	s := &Sampler{
		roots: roots, every: every, refresh: 25, stop: make(chan struct{}),
		pids: make(map[string][]int), last: make(map[int]int64), series: make(map[string][]sample),
	}
	s.look()
	s.read()
	s.stopped.Go(s.loop)
	return s
}

func (s *Sampler) loop() {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-s.stop:
			return
		case <-tick.C:
		}
		if n%s.refresh == 0 {
			s.look()
		}
		s.read()
	}
}

// look finds the processes of each tree. One that was seen stays in the sum
// after its end, with its last reading.
func (s *Sampler) look() {
	for name, root := range s.roots {
		now, err := Tree(root)
		if err != nil {
			continue
		}
		for _, pid := range now {
			if !slices.Contains(s.pids[name], pid) {
				s.pids[name] = append(s.pids[name], pid)
			}
		}
	}
}

func (s *Sampler) read() {
	for name, pids := range s.pids {
		before := contract.Now()
		var sum int64
		for _, pid := range pids {
			if d, err := CPU(pid); err == nil {
				s.last[pid] = int64(d)
			}
			sum += s.last[pid]
		}
		// The middle of the reading stands for all of it.
		s.series[name] = append(s.series[name], sample{before + (contract.Now()-before)/2, sum})
	}
}

// Stop reads once more and ends. It returns what was read.
func (s *Sampler) Stop() *Series {
	close(s.stop)
	s.stopped.Wait()
	s.read()
	return &Series{s.series}
}

// Series is what a sampler read.
type Series struct{ by map[string][]sample }

// Between is the CPU time that a tree spent between two stamps of
// contract.Now, by linear interpolation. It reports false when the tree was
// not read, or the stamps lie outside what was.
func (s *Series) Between(name string, from, to int64) (int64, bool) {
	all := s.by[name]
	a, ok := at(all, from)
	b, ok2 := at(all, to)
	if !ok || !ok2 || to < from {
		return 0, false
	}
	return int64(b - a), true
}

func at(all []sample, t int64) (float64, bool) {
	i, exact := slices.BinarySearchFunc(all, t, func(s sample, t int64) int {
		switch {
		case s.at < t:
			return -1
		case s.at > t:
			return 1
		}
		return 0
	})
	switch {
	case exact:
		return float64(all[i].cpuNs), true
	case i == 0 || i == len(all):
		return 0, false
	}
	l, r := all[i-1], all[i]
	return float64(l.cpuNs) + float64(r.cpuNs-l.cpuNs)*float64(t-l.at)/float64(r.at-l.at), true
}
