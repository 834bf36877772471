package report

import (
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func concCell(conc int) contract.Cell {
	return contract.Cell{Section: "concurrency-external", Shape: contract.External, Target: results.TargetGateway, Conc: conc}
}

func TestConcurrencyFindings(t *testing.T) {
	bound := func(r *results.Repetition) { r.Marks = []string{results.MarkGeneratorBound} }
	for _, test := range []struct {
		story string
		fill  func(*results.Run)
		want  []string
	}{
		{
			"a clear peak and a fall after it",
			func(run *results.Run) {
				load(t, run, concCell(1), speed{5_000, 1, 200, 1000}, 3, nil)
				load(t, run, concCell(10), speed{20_000, 1, 200, 1000}, 3, nil)
				load(t, run, concCell(100), speed{10_000, 1, 200, 1000}, 3, nil)
			},
			[]string{"it peaks at 10 in flight with 20,200 ±1% req/s", "at 100 in flight it is 50% lower", "97.8 of the 99.7 in flight are waiting"},
		},
		{
			"a plateau: the knee comes before the highest median",
			func(run *results.Run) {
				load(t, run, concCell(1), speed{5_000, 1, 200, 1000}, 3, nil)
				load(t, run, concCell(10), speed{20_000, 1, 200, 1000}, 3, nil)
				load(t, run, concCell(50), speed{20_100, 1, 200, 1000}, 3, nil)
			},
			[]string{"the highest median is 20,301 ±1% req/s at 50 in flight, but from 10 in flight on the gain is within noise"},
		},
		{
			"throughput that the generator bounded is in no comparison",
			func(run *results.Run) {
				load(t, run, concCell(1), speed{5_000, 1, 200, 1000}, 3, nil)
				load(t, run, concCell(10), speed{20_000, 1, 200, 1000}, 3, bound)
			},
			[]string{"5,050 ±1% req/s at 1 in flight, the only point", "left out, since the generator or the mock bounded them: in flight 10"},
		},
	} {
		t.Run(test.story, func(t *testing.T) {
			run := newRun("r", epoch)
			test.fill(run)
			v, _ := newData(Single(run)).view("concurrency-external")
			got := strings.Join(concurrencyFindings(v), "\n")
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("findings lack %q:\n%s", want, got)
				}
			}
		})
	}
}

func TestWorkerKnee(t *testing.T) {
	run := newRun("r", epoch)
	for workers, perS := range map[int]float64{1: 10_000, 2: 18_000, 4: 18_050, 8: 12_000} {
		c := contract.Cell{Section: "workers", Shape: contract.External, Target: results.TargetGateway, Conc: 100, Workers: workers}
		load(t, run, c, speed{perS, 1, 200, 1000}, 3, nil)
	}
	v, _ := newData(Single(run)).view("workers")
	got := strings.Join(workerFindings(v), "\n")
	for _, want := range []string{"2 workers, throughput 80% higher than with 1", "with 8 throughput is 33% lower"} {
		if !strings.Contains(got, want) {
			t.Errorf("findings lack %q:\n%s", want, got)
		}
	}
}

// A figure that contradicts Little's law is flagged in its row.
func TestLittleIsFlagged(t *testing.T) {
	run := newRun("r", epoch)
	load(t, run, concCell(50), speed{10_000, 1, 200, 1000}, 3, func(r *results.Repetition) { r.RequestsPerS *= 2 })
	v, _ := newData(Single(run)).view("concurrency-external")
	if got := littleText(v, v.load[0])[0]; !strings.Contains(got, "≠ 50") {
		t.Errorf("twice the throughput that the latency allows reads %q", got)
	}
	run = newRun("r", epoch)
	load(t, run, concCell(50), speed{10_000, 1, 200, 1000}, 3, nil)
	v, _ = newData(Single(run)).view("concurrency-external")
	if got := littleText(v, v.load[0])[0]; strings.Contains(got, "≠") {
		t.Errorf("consistent figures read %q", got)
	}
}

// The differences of the staged profile stay within one shape and one engine.
func TestStagedDifferences(t *testing.T) {
	cell := func(shape contract.Shape, engine string, p contract.Profile) *contract.Cell {
		return &contract.Cell{Shape: shape, Target: results.TargetGateway, Engine: engine, Profile: p, Body: "90B"}
	}
	// The merged percentile lies apart from the repetitions' median, v + 1.
	p50 := func(v float64) results.Quantile {
		return results.Quantile{
			Percentile: results.Percentile{P: 50, ValueNs: int64(v) + 2, Samples: 400, Beyond: 200},
			Spread:     results.SpreadOf([]float64{v, v + 1, v + 4}),
		}
	}
	stages := []stage{
		{cell: cell(contract.External, "conn", contract.Bare), p50: p50(100)},
		{cell: cell(contract.External, "nethttp", contract.Bare), p50: p50(200)},
		{cell: cell(contract.External, "nethttp", contract.Governed), p50: p50(240)},
	}
	d, ok := steps[1].difference(stages)
	if got := d.text(asItIs); !ok || got != "+40.0 (36.0 to 44.0)" {
		t.Errorf("governed − ungoverned is %q (%v), want +40.0 (36.0 to 44.0): nethttp against nethttp", got, ok)
	}
	if got := d.share(); got != "+20%" {
		t.Errorf("governed − ungoverned is a share of %q, want +20%% of 202", got)
	}
	if _, ok := steps[0].difference(stages); ok {
		t.Error("a difference to a floor that was not measured")
	}
}
