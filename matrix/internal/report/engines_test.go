package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// fillEngines is the section of engines: two loads, nginx, haproxy not there.
func fillEngines(t *testing.T, run *results.Run) {
	t.Helper()
	run.Header.Proxies = map[string]string{"nginx": "nginx/1.22.1"}
	for _, conc := range []int{50, 256} {
		for _, frames := range []int{0, 74} {
			base := contract.Cell{Section: "engines", Shape: contract.External, Conc: conc}
			if frames > 0 {
				base.StreamEvery, base.Frames = 1, frames
			}
			scale := 1 + float64(frames)/10
			put := func(target, engine string, cpuNs, perS float64) {
				c := base
				c.Target, c.Engine, c.Workers = target, engine, 1
				if target == results.TargetFloor {
					c.Workers = 0
				}
				load(t, run, c, speed{perS / scale, int64(cpuNs * scale), 300, 30_000}, 3, func(r *results.Repetition) {
					// The host halves its speed in block 1: ratios must not show it.
					if r.Block == 1 && r.Resources.Gateway != nil {
						r.Resources.Gateway.CPUNs *= 2
					}
				})
			}
			put(results.TargetGateway, "conn", 40_000, 20_000)
			put(results.TargetGateway, "epoll", 24_000, 33_000)
			put(results.TargetGateway, "nethttp", 160_000, 6_000)
			put(results.TargetNginx, "", 32_000, 28_000)
			put(results.TargetFloor, "", 0, 70_000)
			c := base
			c.Target, c.Workers, c.Surface, c.Body = results.TargetHaproxy, 1, "chat", "90B"
			run.Repetitions = append(run.Repetitions, results.Repetition{
				Cell: c, Skipped: &results.Skipped{Reason: "haproxy was not found", Install: "package haproxy"},
			})
		}
	}
}

func TestEnginesBesideAProxy(t *testing.T) {
	run := newRun("r", epoch)
	fillEngines(t, run)
	var b bytes.Buffer
	if err := Run(&b, run); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for story, want := range map[string]string{
		"a table for the plain load":            "**Not streamed**",
		"and for the flushed one":               "**Streams of 74 frames, each its own write**",
		"the proxy's version and terms":         "nginx/1.22.1: plain keep-alive reverse proxies",
		"what is unbuffered":                    "nginx `proxy_buffering off`",
		"a proxy that is not there, said once":  "Skipped: haproxy, every cell: haproxy was not found. To run it: `package haproxy` (4 times)",
		"a ratio that the host's speed leaves":  "epoll 0.752 (0.750 to 0.753) at 50 in flight",
		"the finding names the load":            "**Engines beside nginx** (not streamed)",
		"a row of the yardstick against itself": "| nginx   |  32.4 ±99% |                      1 |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q is not in the report", story, want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestEnginesWithoutAYardstick(t *testing.T) {
	run := newRun("r", epoch)
	for _, engine := range []string{"conn", "nethttp"} {
		c := contract.Cell{Section: "engines", Shape: contract.External, Target: results.TargetGateway, Engine: engine, Conc: 50}
		load(t, run, c, speed{20_000, 40_000, 300, 0}, 3, nil)
	}
	var b bytes.Buffer
	if err := Run(&b, run); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Contains(got, "÷ nginx") || !strings.Contains(got, "**Engines** (shape external, 50 in flight)") {
		t.Errorf("a report without nginx:\n%s", got)
	}
}

func TestWithinABlock(t *testing.T) {
	series := func(perBlock ...float64) *results.Series {
		s := new(results.Series)
		for i, v := range perBlock {
			if v > 0 {
				s.Reps = append(s.Reps, &results.Repetition{Block: i, RequestsPerS: v, Outcomes: map[string]int64{"answered": 1}})
			}
		}
		return s
	}
	for _, c := range []struct {
		story        string
		ours, theirs []float64
		want         string
	}{
		{"the host doubles its speed", []float64{10, 20, 10}, []float64{5, 10, 5}, "2.00 (2.00 to 2.00)"},
		{"a block with one side is left out", []float64{10, 0, 10}, []float64{5, 10, 20}, "1.25 (0.500 to 2.00)"},
		{"one block has no range", []float64{10}, []float64{5}, "2.00"},
		{"no block has both", []float64{10, 0}, []float64{0, 5}, none},
	} {
		t.Run(c.story, func(t *testing.T) {
			if got := ratioText(within(series(c.ours...), series(c.theirs...), perSecond)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestBoundThroughputHasNoRatio(t *testing.T) {
	run := newRun("r", epoch)
	for _, target := range []string{results.TargetGateway, results.TargetNginx} {
		c := contract.Cell{Section: "engines", Shape: contract.External, Target: target, Workers: 1, Conc: 50}
		load(t, run, c, speed{20_000, 40_000, 300, 0}, 2, func(r *results.Repetition) {
			if target == results.TargetNginx {
				r.Marks = []string{results.MarkMockBound}
			}
		})
	}
	v, _ := newData(Single(run)).view("engines")
	l := engineLoads(v)[0]
	i := slices.IndexFunc(l.series, func(s *results.Series) bool { return s.Cell.Target == results.TargetGateway })
	y := l.yardstick(l.series[i])
	if r := within(l.series[i], y, comparable); r.N != 0 {
		t.Errorf("a throughput that the mock bounded is compared: %+v", r)
	}
	if r := within(l.series[i], y, cpuPerRequest(gatewayUsage)); r.N != 2 {
		t.Errorf("its CPU per request stays: %+v", r)
	}
}

// TestEnginePlots: a picture for each load, shown where the section stands.
func TestEnginePlots(t *testing.T) {
	run := newRun("r", epoch)
	fillEngines(t, run)
	in := Single(run)
	plots, err := Plots(in)
	if err != nil {
		t.Fatal(err)
	}
	benchmarks, err := Render(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"engines-plain.svg", "engines-74-flushed.svg"} {
		if plots[name] == nil {
			t.Fatalf("no %s among %q", name, sortedKeys(plots))
		}
		golden(t, name, plots[name])
		if !bytes.Contains(benchmarks, []byte("("+PlotsDir+"/"+name+")")) {
			t.Errorf("BENCHMARKS.md does not show %s", name)
		}
	}
	if len(plots) != 2 {
		t.Errorf("%q were drawn", sortedKeys(plots))
	}
}

// TestASkippedCellIsNamedWhereOthersRan: only a target that is not there at all
// is named as a whole.
func TestASkippedCellIsNamedWhereOthersRan(t *testing.T) {
	run := newRun("r", epoch)
	fillEngines(t, run)
	c := contract.Cell{Section: "engines", Shape: contract.External, Target: results.TargetHaproxy, Workers: 1, Conc: 1}
	load(t, run, c, speed{20_000, 40_000, 300, 0}, 3, nil)
	v, _ := newData(Single(run)).view("engines")
	got := strings.Join(v.notes(), "\n")
	if strings.Contains(got, "every cell") || strings.Count(got, "Skipped: haproxy, in flight") != 4 {
		t.Error(got)
	}
}
