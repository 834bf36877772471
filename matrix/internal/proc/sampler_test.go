package proc

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

func TestSeriesBetween(t *testing.T) {
	s := &Series{map[string][]sample{"x": {{100, 10}, {200, 20}, {300, 60}}}}
	for _, c := range []struct {
		story    string
		from, to int64
		want     int64
		ok       bool
	}{
		{"whole series", 100, 300, 50, true},
		{"inside one interval", 120, 170, 5, true},
		{"across two", 150, 250, 25, true},
		{"before the first reading", 99, 200, 0, false},
		{"after the last", 100, 301, 0, false},
		{"backwards", 200, 100, 0, false},
	} {
		if got, ok := s.Between("x", c.from, c.to); got != c.want || ok != c.ok {
			t.Errorf("%s: %d %v, want %d %v", c.story, got, ok, c.want, c.ok)
		}
	}
	if _, ok := s.Between("y", 100, 200); ok {
		t.Error("a tree that was not read has a time")
	}
}

func TestSamplerSeesWork(t *testing.T) {
	if _, err := Self(); errors.Is(err, ErrUnsupported) {
		t.Skip(err)
	}
	s := StartSampler(map[string]int{"self": os.Getpid()}, time.Millisecond)
	from := contract.Now()
	start, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	var worked time.Duration
	for worked < 10*time.Millisecond {
		for i := range 100_000 {
			_ = i
		}
		now, err := Self()
		if err != nil {
			t.Fatal(err)
		}
		worked = now - start
	}
	to := contract.Now()
	series := s.Stop()
	got, ok := series.Between("self", from, to)
	if !ok {
		t.Fatal("no reading around the work")
	}
	// The tree of the test process is this process: within an interval's work
	// at either end, on at most GOMAXPROCS cores.
	if got < int64(worked)/2 {
		t.Errorf("%v read of %v worked", time.Duration(got), worked)
	}
}
