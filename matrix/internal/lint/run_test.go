package lint

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

var epoch = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

const perRepetition = 40_000

// histogram holds n requests of about the given time; one in fifty takes twice
// as long.
func histogram(t *testing.T, n int64, each time.Duration) results.Histogram {
	t.Helper()
	h := results.NewHistogram()
	slow := n / 50
	for _, v := range []struct {
		ns, n int64
	}{{int64(each), n - slow}, {2 * int64(each), slow}} {
		if err := h.RecordValues(v.ns, v.n); err != nil {
			t.Fatal(err)
		}
	}
	text, err := results.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// repetition is a consistent one: conc connections that are busy all the time
// with requests of the given time.
func repetition(t *testing.T, c contract.Cell, block int, each time.Duration) results.Repetition {
	t.Helper()
	mean := float64(each) * 1.02
	measured := int64(mean * perRepetition / float64(c.Conc) * 1.01)
	r := results.Repetition{
		Cell: c, Block: block, Rep: block, Started: epoch, Finished: epoch.Add(time.Duration(measured)), MeasuredNs: measured,
		Scheduled: perRepetition, Outcomes: map[string]int64{"answered": perRepetition},
		RequestsPerS: perRepetition / (float64(measured) / 1e9), CoresBusy: 1.6,
		Histograms: map[string]results.Histogram{results.ServiceTime: histogram(t, perRepetition, each)},
	}
	if c.Target != results.TargetFloor {
		r.Histograms[results.Toll] = histogram(t, perRepetition, each/2)
	}
	return r
}

func cellOf(target string, every int) contract.Cell {
	c := contract.Cell{Section: "s", Shape: contract.External, Target: target, Surface: "chat", Body: "90B", Conc: 50, StreamEvery: every}
	if target == results.TargetGateway {
		c.Engine, c.Profile, c.Workers = "conn", contract.Governed, 1
	}
	return c
}

// sound is a run in which nothing is wrong: gateway and floor, not streamed,
// always, and one in five, in three blocks.
func sound(t *testing.T) *results.Run {
	t.Helper()
	run := &results.Run{Header: results.Header{Version: results.Version, Name: "r", Started: epoch, Fingerprint: results.Fingerprint{CPUs: 2}, Spec: results.Spec{Name: "quick", Hash: "5bec", Text: "name: quick\n"}}}
	for block := range 3 {
		for every, share := range map[int]time.Duration{0: 10, 5: 14, 1: 30} {
			run.Repetitions = append(run.Repetitions,
				repetition(t, cellOf(results.TargetGateway, every), block, share*200*time.Microsecond),
				repetition(t, cellOf(results.TargetFloor, every), block, share*100*time.Microsecond))
		}
	}
	return run
}

// at is the repetitions of a cell.
func at(run *results.Run, target string, every int) (out []*results.Repetition) {
	for i := range run.Repetitions {
		if r := &run.Repetitions[i]; r.Cell.Target == target && r.Cell.StreamEvery == every {
			out = append(out, r)
		}
	}
	return out
}

func TestRun(t *testing.T) {
	again := func(t *testing.T, r *results.Repetition, each time.Duration) {
		*r = repetition(t, r.Cell, r.Block, each)
	}
	for _, c := range []struct {
		story string
		rule  string // "" is none
		spoil func(*testing.T, *results.Run)
	}{
		{"nothing is wrong", "", func(*testing.T, *results.Run) {}},
		{"more in flight than there are connections", ruleLittle, func(t *testing.T, run *results.Run) {
			r := at(run, results.TargetGateway, 0)[0]
			r.Histograms[results.ServiceTime] = histogram(t, perRepetition, 4*time.Millisecond)
		}},
		{"fewer in flight than there are connections", ruleLittle, func(t *testing.T, run *results.Run) {
			for _, r := range at(run, results.TargetFloor, 0) {
				r.Histograms[results.ServiceTime] = histogram(t, perRepetition, 800*time.Microsecond)
			}
		}},
		{"fewer in flight, since requests failed", "", func(t *testing.T, run *results.Run) {
			for _, r := range at(run, results.TargetFloor, 0) {
				r.Histograms[results.ServiceTime] = histogram(t, perRepetition-8_000, time.Millisecond)
				r.Outcomes = map[string]int64{"answered": perRepetition - 8_000, "timeout": 8_000}
				r.RequestsPerS = (perRepetition - 8_000) / (float64(r.MeasuredNs) / 1e9)
			}
		}},
		{"open loop: nothing is kept in flight", "", func(t *testing.T, run *results.Run) {
			for i := range run.Repetitions {
				run.Repetitions[i].Cell.RatePerS = 1000
				run.Repetitions[i].Histograms[results.ServiceTime] = histogram(t, perRepetition, 20*time.Millisecond)
				delete(run.Repetitions[i].Histograms, results.Toll)
			}
		}},
		{"a gateway faster than its floor", ruleFloor, func(t *testing.T, run *results.Run) {
			for _, r := range at(run, results.TargetGateway, 0) {
				again(t, r, 700*time.Microsecond)
			}
		}},
		{"faster than its floor in one block of three", "", func(t *testing.T, run *results.Run) {
			again(t, at(run, results.TargetGateway, 0)[0], 900*time.Microsecond)
		}},
		{"faster, since frames were joined", "", func(t *testing.T, run *results.Run) {
			for _, r := range at(run, results.TargetGateway, 1) {
				again(t, r, 2*time.Millisecond)
				r.ContentFrames, r.CoalescedFrames = 100, 90
			}
			for _, r := range at(run, results.TargetFloor, 1) {
				r.ContentFrames, r.CoalescedFrames = 100, 70
			}
			for _, target := range []string{results.TargetGateway, results.TargetFloor} {
				for _, r := range at(run, target, 5) {
					r.Cell.StreamEvery = 3 // no pure parts to lie between
					r.Cell.Body = "52KB"
				}
			}
		}},
		{"faster, since answers came from a cache", "", func(t *testing.T, run *results.Run) {
			for _, r := range at(run, results.TargetGateway, 0) {
				again(t, r, 700*time.Microsecond)
				r.Truth = &contract.GroundTruth{Received: perRepetition / 2}
			}
		}},
		{"faster, where the generator was the limit on the floor", "", func(t *testing.T, run *results.Run) {
			for _, r := range at(run, results.TargetFloor, 0) {
				r.RequestsPerS /= 4
				r.MeasuredNs *= 4
				r.Outcomes = map[string]int64{"answered": perRepetition, "client_aborted": 1}
				r.Marks = []string{results.MarkGeneratorBound}
			}
		}},
		{"a mixed load below both pure ones", ruleMixed, func(t *testing.T, run *results.Run) {
			for _, r := range at(run, results.TargetGateway, 5) {
				again(t, r, 9*time.Millisecond)
			}
		}},
		{"a toll longer than the request", rulePercentiles, func(t *testing.T, run *results.Run) {
			at(run, results.TargetGateway, 1)[0].Histograms[results.Toll] = histogram(t, perRepetition, 8*time.Millisecond)
		}},
		{"a longer toll of fewer requests", "", func(t *testing.T, run *results.Run) {
			at(run, results.TargetGateway, 1)[0].Histograms[results.Toll] = histogram(t, perRepetition/50, 8*time.Millisecond)
		}},
		{"throughput that is not answers per time", ruleUnits, func(_ *testing.T, run *results.Run) {
			at(run, results.TargetGateway, 0)[0].RequestsPerS /= 1000
		}},
		{"more cores busy than there are", ruleUnits, func(_ *testing.T, run *results.Run) {
			at(run, results.TargetGateway, 0)[0].CoresBusy = 2.4
		}},
		{"a toll of 40 ms", ruleToll, func(t *testing.T, run *results.Run) {
			for _, r := range at(run, results.TargetGateway, 1) {
				again(t, r, 82*time.Millisecond)
			}
			for _, r := range at(run, results.TargetGateway, 5) {
				again(t, r, 20*time.Millisecond)
			}
		}},
		{"bodies of many lengths", "", func(_ *testing.T, run *results.Run) {
			for i := range run.Repetitions {
				run.Repetitions[i].BytesIn = int64(i) * 997
				run.Repetitions[i].BytesOut = int64(i) * 131
			}
		}},
	} {
		t.Run(c.story, func(t *testing.T) {
			run := sound(t)
			c.spoil(t, run)
			list, err := Run("run.jsonl", run)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range list {
				if f.Rule != c.rule {
					t.Errorf("unexpected: %+v", f)
				}
			}
			if c.rule != "" && !slices.ContainsFunc(list, func(f Finding) bool { return f.Rule == c.rule }) {
				t.Errorf("%s does not fire", c.rule)
			}
		})
	}
}

// TestRunLines: a finding in a run's file names the line of its repetition.
func TestRunLines(t *testing.T) {
	run := sound(t)
	run.Repetitions[2].CoresBusy = 7
	w, err := results.Create(t.TempDir(), &run.Header)
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Repetitions {
		r := &run.Repetitions[i]
		r.Audit = &results.Audit{Checks: []results.Check{{Name: "x", OK: true}}}
		if err := w.Repetition(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(&results.Final{Finished: epoch, Status: results.Complete}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{w.Dir(), filepath.Join(w.Dir(), results.FileName)} {
		list, err := Path(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(list) != 1 || list[0].Line != 4 || list[0].Rule != ruleUnits {
			t.Errorf("%s: %+v, want one finding in line 4", path, list)
		}
	}
}

func TestPathRefuses(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "x.md")
	if err := os.WriteFile(binary, []byte{'a', 0, 'b'}, 0o644); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "x.png")
	if err := os.WriteFile(other, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, filepath.Join(dir, "absent.md"), binary, other} {
		if _, err := Path(path); err == nil {
			t.Errorf("%s: no error", path)
		}
	}
}
