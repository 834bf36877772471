package proc

import (
	"testing"
	"time"
)

func TestBetween(t *testing.T) {
	ms := func(n int64) int64 { return n * int64(time.Millisecond) }
	for _, c := range []struct {
		story        string
		before, now  map[int]Process
		cpu, tick    int64
		processes    int
		involuntary  int64
		peakRSSBytes int64
	}{
		{
			"one process works",
			map[int]Process{1: {CPUNs: ms(5), Involuntary: 2}},
			map[int]Process{1: {CPUNs: ms(8), Involuntary: 7, PeakRSSBytes: 100}},
			ms(3), 0, 1, 5, 100,
		},
		{
			"a child begins in between: all its time counts",
			map[int]Process{1: {CPUNs: ms(5)}},
			map[int]Process{1: {CPUNs: ms(6)}, 2: {CPUNs: ms(4), PeakRSSBytes: 7}},
			ms(5), 0, 2, 0, 7,
		},
		{
			"a child ends in between: its parent's record counts, less what was counted before",
			map[int]Process{1: {CPUNs: ms(5)}, 2: {CPUNs: ms(30)}},
			map[int]Process{1: {CPUNs: ms(6), DeadCPUNs: ms(40)}},
			ms(11), ms(10), 1, 0, 0,
		},
		{
			"a dead child not waited for adds nothing and takes nothing",
			map[int]Process{1: {CPUNs: ms(5)}, 2: {CPUNs: ms(30)}},
			map[int]Process{1: {CPUNs: ms(6)}},
			ms(1), 0, 1, 0, 0,
		},
		{
			"ticks round below what the CPU clock had counted: never negative",
			map[int]Process{1: {CPUNs: ms(5)}, 2: {CPUNs: ms(39)}},
			map[int]Process{1: {CPUNs: ms(6), DeadCPUNs: ms(30)}},
			ms(1), 0, 1, 0, 0,
		},
	} {
		t.Run(c.story, func(t *testing.T) {
			u, err := Between(&Reading{Root: 1, Procs: c.before}, &Reading{Root: 1, Procs: c.now})
			if err != nil {
				t.Fatal(err)
			}
			want := Use{CPUNs: c.cpu, CPUTickNs: c.tick, PeakRSSBytes: c.peakRSSBytes, Involuntary: c.involuntary, Processes: c.processes}
			if u != want {
				t.Errorf("got %+v, want %+v", u, want)
			}
		})
	}
	if _, err := Between(&Reading{Root: 1}, &Reading{Root: 2}); err == nil {
		t.Error("readings of two roots were subtracted")
	}
}

func TestCanaryMeasuresSomething(t *testing.T) {
	d, err := Canary(50)
	if err != nil {
		t.Fatal(err)
	}
	if d <= 0 {
		t.Errorf("round trip of %v", d)
	}
}

func TestMedian(t *testing.T) {
	for want, ds := range map[time.Duration][]time.Duration{0: nil, 2: {3, 1, 2}, 1: {2, 1}} {
		if got := Median(ds); got != want {
			t.Errorf("Median(%v) = %v, want %v", ds, got, want)
		}
	}
}

func TestHostText(t *testing.T) {
	if n, ok := parseSteal("cpu  1 2 3 4 5 6 7 88 9 10\ncpu0 1 2\n"); !ok || n != 88 {
		t.Errorf("steal %d %v, want 88", n, ok)
	}
	for _, s := range []string{"", "cpu 1 2 3", "cpu0 1 2 3 4 5 6 7 8 9"} {
		if _, ok := parseSteal(s); ok {
			t.Errorf("steal read from %q", s)
		}
	}
	psi := "some avg10=0.00 avg60=0.00 avg300=0.00 total=4711\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=3\n"
	if n, ok := parsePSI(psi); !ok || n != 4711 {
		t.Errorf("pressure %d %v, want 4711", n, ok)
	}
	for _, s := range []string{"", "full total=3", "some avg10=1"} {
		if _, ok := parsePSI(s); ok {
			t.Errorf("pressure read from %q", s)
		}
	}
}

func TestHostSince(t *testing.T) {
	got := Host{StealNs: 9, PSICPUSomeNs: 8, PSIMemorySomeNs: 7, PSIIOSomeNs: 6, LoadAverage: 5}.
		Since(Host{StealNs: 4, PSICPUSomeNs: 4, PSIMemorySomeNs: 4, PSIIOSomeNs: 4, LoadAverage: 1})
	want := Host{StealNs: 5, PSICPUSomeNs: 4, PSIMemorySomeNs: 3, PSIIOSomeNs: 2, LoadAverage: 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
