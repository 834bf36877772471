package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// fillDirect adds direct calls by one caller and by more, on a host of two
// cores.
func fillDirect(t *testing.T, run *results.Run) {
	t.Helper()
	const calls = 10_000
	for _, body := range []string{"90B", "52KB"} {
		for _, profile := range []contract.Profile{contract.Bare, contract.Governed} {
			for workers, up := range map[int]float64{0: 1, 2: 1.8, 64: 1.7} {
				ns := 1_000.0
				if profile == contract.Governed {
					ns *= 2
				}
				if body == "52KB" {
					ns *= 20
				}
				for i := range 3 {
					each := ns * (1 + float64(i)/100)
					run.Sections = append(run.Sections, results.Section{
						Cell: contract.Cell{
							Section: "direct", Shape: contract.Direct, Target: results.TargetGateway, Profile: profile, Surface: "chat",
							Body: body, Conc: 1, Workers: workers, Requests: calls,
						},
						Rep: i, Block: i,
						Direct: &results.Direct{
							Calls: calls, CallNs: histogram(t, calls, each*0.9, each*1.5), WallNs: int64(calls * each / up),
							CPUNs: int64(calls * each), AllocsPerOp: 0.0001, BytesPerOp: 12.5,
						},
					})
				}
			}
		}
	}
}

// fillWaterfall adds two cells: one in which every layer but the ledger shows,
// and one with too few blocks.
func fillWaterfall(run *results.Run) {
	const calls = 1000
	for _, c := range []struct {
		every, repetitions int
		us                 float64 // of the proxy
	}{{0, 4, 1.2}, {1, 2, 6}} {
		for r := range c.repetitions {
			w := &results.Waterfall{Calls: calls}
			total := 0.0
			for i, name := range []string{"proxy", "auth", "admission", "guard", "ledger", "log"} {
				l := results.Layer{Name: name}
				if name == "guard" {
					l.Absent = "this gateway has no guard"
					w.Layers = append(w.Layers, l)
					continue
				}
				total += map[string]float64{"proxy": c.us, "auth": 0.2, "admission": 1.5, "ledger": 0, "log": 0.8}[name]
				for b := range 2 {
					n := 2*r + b
					// A drift that all share, and a jitter of each.
					us := total*(1+float64(n)/50) + 0.02*float64((n*5+i*3)%7-3)
					block := results.LayerBlock{CPUNs: int64(us * 1000 * calls)}
					if name == "log" {
						block.Allocs, block.Bytes = int64(20+n), int64(400_000+1000*n)
					}
					l.Blocks = append(l.Blocks, block)
				}
				w.Layers = append(w.Layers, l)
			}
			run.Sections = append(run.Sections, results.Section{
				Cell: contract.Cell{
					Section: "waterfall", Shape: contract.Direct, Target: results.TargetGateway, Profile: contract.Governed, Surface: "waterfall",
					Body: "90B", StreamEvery: c.every, Frames: 74 * c.every, Conc: 1, LogStore: "sqlite", Durability: "async", Requests: calls,
				},
				Rep: r, Block: r, Waterfall: w,
			})
		}
	}
}

func TestIntervalText(t *testing.T) {
	seven := []float64{1, 2, 3, 4, 5, 6, 7}
	around := []float64{-3, -2, -1, 0.5, 1, 2, 3}
	for _, c := range []struct {
		story       string
		diffs       []float64
		time, count string
	}{
		{"a cost that shows", seven, "4.00 (2.00 to 6.00)", "4.00 (2.00 to 6.00)"},
		{"one that does not", around, "below resolution (−2.00 to 2.00)", "0"},
		{"five blocks cannot tell", seven[:5], "n/a (5 blocks)", "n/a (5 blocks)"},
		{"nothing in any block", make([]float64, 7), "0", "0"},
		{"nothing in too few blocks either", make([]float64, 2), "0", "0"},
		{"not measured", nil, none, none},
		{"equal but for digits that are not shown", []float64{5000.1, 5000.2, 5000.1, 5000.2, 5000.1, 5000.2, 5000.3}, "5,000", "5,000"},
	} {
		i := results.IntervalOf(c.diffs, layerConfidence)
		if time, count := timeInterval(i), countInterval(i); time != c.time || count != c.count {
			t.Errorf("%s: %q and %q, want %q and %q", c.story, time, count, c.time, c.count)
		}
	}
}

// A layer that is absent is a row that says so, with its reason below.
func TestAbsentLayersAreListed(t *testing.T) {
	run := newRun("20260314T092653Z-example-0123456789ab", epoch)
	fillWaterfall(run)
	var b bytes.Buffer
	if err := Run(&b, run); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| + guard      | ", "n/a: guard: this gateway has no guard",
		"**Layers** (shape direct, 90B): of 3.95 (3.78 to 4.14) CPU-µs per request with no socket: proxy 1.29",
		"; below resolution: ledger\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, b.String())
		}
	}
}

// The picture has a bar per cell, the layers' shares on top of each other, and
// is shown in the text.
func TestWaterfallPlot(t *testing.T) {
	run := newRun("20260314T092653Z-example-0123456789ab", epoch)
	fillWaterfall(run)
	in := Single(run)
	plots, err := Plots(in)
	if err != nil || len(plots) != 1 {
		t.Fatalf("%d plots, %v", len(plots), err)
	}
	golden(t, "waterfall.svg", plots["waterfall.svg"])
	text, err := Render(nil, in)
	if err != nil || !bytes.Contains(text, []byte("]("+PlotsDir+"/waterfall.svg)")) {
		t.Errorf("BENCHMARKS.md does not show it: %v", err)
	}
	run.Sections = nil
	if plots := waterfallPlots(&view{name: waterfallName, run: run}); plots != nil {
		t.Errorf("nothing was measured, and %d plots are drawn", len(plots))
	}
}
