package results

import (
	"slices"
	"testing"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func TestWhichAttemptStands(t *testing.T) {
	attempt := func(n int, marks ...string) *Repetition {
		r := repetition(t, cell("s", 1), 0)
		r.Attempt, r.Marks = n, marks
		return r
	}
	for _, test := range []struct {
		story    string
		attempts []*Repetition
		want     int
	}{
		{"one attempt", []*Repetition{attempt(0)}, 0},
		{"one noisy attempt is all there is", []*Repetition{attempt(0, MarkNoisy)}, 0},
		{"a quiet one after a noisy one", []*Repetition{attempt(0, MarkNoisy), attempt(1, MarkRetry)}, 1},
		{"in any order of the file", []*Repetition{attempt(1, MarkRetry), attempt(0, MarkNoisy)}, 1},
		{"all noisy: the last", []*Repetition{attempt(0, MarkNoisy), attempt(1, MarkNoisy, MarkRetry), attempt(2, MarkNoisy, MarkRetry)}, 2},
		{"the quiet one in the middle", []*Repetition{attempt(0, MarkNoisy), attempt(1, MarkRetry), attempt(2, MarkNoisy, MarkRetry)}, 1},
	} {
		t.Run(test.story, func(t *testing.T) {
			run := new(Run)
			for _, r := range test.attempts {
				run.Repetitions = append(run.Repetitions, *r)
			}
			s := SeriesOf(run, "s")
			if len(s) != 1 || len(s[0].Reps) != 1 {
				t.Fatalf("%d series", len(s))
			}
			if got := s[0].Reps[0].Attempt; got != test.want {
				t.Errorf("attempt %d stands, want %d", got, test.want)
			}
			if got := s[0].Superseded; got != len(test.attempts)-1 {
				t.Errorf("%d superseded, want %d", got, len(test.attempts)-1)
			}
		})
	}
}

func TestSeriesOrder(t *testing.T) {
	run := new(Run)
	for _, conc := range []int{200, 1, 50} {
		for _, target := range []string{TargetFloor, TargetGateway} {
			c := cell("s", conc)
			c.Target = target
			run.Repetitions = append(run.Repetitions, *repetition(t, c, 1), *repetition(t, c, 0))
		}
	}
	run.Repetitions = append(run.Repetitions, *repetition(t, cell("other", 1), 0))
	type place struct {
		conc   int
		target string
	}
	var got []place
	for _, s := range SeriesOf(run, "s") {
		got = append(got, place{s.Cell.Conc, s.Cell.Target})
		if s.Reps[0].Block != 0 || s.Reps[1].Block != 1 {
			t.Errorf("%s: blocks out of order", s.Cell.Key())
		}
	}
	want := []place{{1, "gateway"}, {1, "floor"}, {50, "gateway"}, {50, "floor"}, {200, "gateway"}, {200, "floor"}}
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

func TestSkippedSeries(t *testing.T) {
	run := &Run{Repetitions: []Repetition{{Cell: cell("s", 1), Skipped: &Skipped{Reason: "no server"}}}}
	s := SeriesOf(run, "s")
	if len(s) != 1 || s[0].Skipped == nil || len(s[0].Reps) != 0 {
		t.Errorf("a skipped cell is %+v", s)
	}
	// One repetition that could not run stays in sight beside the others.
	run.Repetitions = append(run.Repetitions, *repetition(t, cell("s", 1), 1))
	s = SeriesOf(run, "s")
	if len(s) != 1 || s[0].Skipped == nil || len(s[0].Reps) != 1 {
		t.Errorf("a cell that was skipped once is %+v", s)
	}
}

// Percentiles come from the merged histogram, not from an average.
func TestMergedQuantiles(t *testing.T) {
	run := new(Run)
	for block, values := range [][]int64{{100, 100, 100}, {200, 300, 400}} {
		r := repetition(t, cell("s", 1), block)
		r.Histograms = map[string]Histogram{Toll: encoded(t, values...)}
		run.Repetitions = append(run.Repetitions, *r)
	}
	s := SeriesOf(run, "s")[0]
	q, err := s.Quantiles(Toll, 50)
	if err != nil {
		t.Fatal(err)
	}
	if q[0].ValueNs != 100 || q[0].Samples != 6 || q[0].Spread.Min != 100 || q[0].Spread.Max != 300 {
		t.Errorf("p50 %+v, want 100 of 6 samples, repetitions from 100 to 300", q[0])
	}
	if q, err := s.Quantiles(ITL, 50); err != nil || q != nil {
		t.Errorf("a histogram that nobody has reads %v, %v", q, err)
	}
	if _, err := s.Quantiles(Toll, 42); err == nil {
		t.Error("a percentile that is not kept was read")
	}
	run.Repetitions[0].Histograms[Toll] = "broken"
	if _, err := SeriesOf(run, "s")[0].Quantiles(Toll, 50); err == nil {
		t.Error("a broken histogram went unnoticed")
	}
}

func TestCPUPerRequest(t *testing.T) {
	r := repetition(t, cell("s", 1), 0)
	r.Outcomes["unsent"] = 100
	// 40,000 ns over the 4 requests that were sent.
	if got, ok := r.CPUMicrosPerRequest(r.Resources.Gateway); !ok || got != 10 {
		t.Errorf("%v µs (%v), want 10", got, ok)
	}
	if _, ok := r.CPUMicrosPerRequest(r.Resources.Mock); ok {
		t.Error("a piece that did not run has CPU time")
	}
}

func TestBodyBytes(t *testing.T) {
	for name, want := range map[string]int{"90B": 90, "52KB": 52_000, "200KB": 200_000, "thread.json": 0, "": 0, "KB": 0, "9x9B": 0, "99999999999999999999KB": 0} {
		if got := BodyBytes(name); got != want {
			t.Errorf("BodyBytes(%q) = %d, want %d", name, got, want)
		}
	}
}

// The names of histograms are the generator's.
func TestNamesAreTheGenerators(t *testing.T) {
	for name, generators := range map[string]loadgen.Latency{
		ServiceTime: loadgen.ServiceTime, ResponseTime: loadgen.ResponseTime, SendLag: loadgen.SendLag,
		FirstByte: loadgen.FirstByte, TTFT: loadgen.TTFT, ITL: loadgen.ITL, TPOT: loadgen.TPOT,
		ServicePlain: loadgen.ServicePlain, ServiceStream: loadgen.ServiceStream, ErrorTime: loadgen.ErrorTime,
	} {
		if name != string(generators) {
			t.Errorf("%q here is %q there", name, generators)
		}
	}
}

func TestDirectSeries(t *testing.T) {
	c := cell("staged", 1)
	c.Shape = contract.Direct
	run := new(Run)
	for block, v := range []int64{100, 300} {
		run.Sections = append(run.Sections, Section{Cell: c, Block: block, Direct: &Direct{Calls: 1, CallNs: encoded(t, v, v, v)}})
	}
	s := SectionSeriesOf(run, "staged")
	if len(s) != 1 {
		t.Fatalf("%d series, want 1", len(s))
	}
	q, err := s[0].CallQuantiles(50)
	if err != nil || len(q) != 1 || q[0].Samples != 6 || q[0].Spread.Min != 100 || q[0].Spread.N != 2 {
		t.Errorf("%+v %v", q, err)
	}
}
