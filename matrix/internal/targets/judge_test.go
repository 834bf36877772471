package targets

import (
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// aRun holds three blocks of a gateway beside nginx, on a host that is twice as
// slow in block 1, three boots, and direct calls.
func aRun(t *testing.T) *results.Run {
	t.Helper()
	h := results.NewHistogram()
	for i := range 200 {
		if err := h.RecordValue(int64(2000 + i)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := results.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	run := new(results.Run)
	for block, slow := range []int64{1, 2, 1} {
		for target, us := range map[string]int64{"gateway": 30, "nginx": 25} {
			c := contract.Cell{Section: "engines", Shape: contract.External, Target: target, Conc: 50}
			if target == "gateway" {
				c.Engine = "epoll"
			}
			var marks []string
			if target == "nginx" {
				marks = []string{results.MarkMockBound}
			}
			run.Repetitions = append(run.Repetitions, results.Repetition{
				Marks: marks, Cell: c, Block: block, Rep: block, Outcomes: map[string]int64{"answered": 100}, RequestsPerS: 1000,
				Resources: results.Resources{Gateway: &results.Usage{CPUNs: us * slow * 100_000, PeakRSSBytes: 18 << 20}},
			})
		}
		run.Sections = append(run.Sections,
			results.Section{
				Cell:  contract.Cell{Section: "boot", Shape: contract.External, Target: "gateway", Surface: "boot", Workers: 1},
				Block: block, Rep: block, Boot: &results.Boot{HealthzNs: int64(40+10*block) * 1e6, Processes: 1},
			},
			results.Section{
				Cell:  contract.Cell{Section: "staged", Shape: contract.Direct, Target: "gateway", Body: "90B"},
				Block: block, Rep: block, Direct: &results.Direct{Calls: 200, CallNs: text, AllocsPerOp: float64(block)},
			})
	}
	return run
}

func TestJudge(t *testing.T) {
	ratio := func(atMost float64) Bound {
		return Bound{Ratio: &Ratio{Ours: "gateway", Theirs: "nginx", AtMost: atMost}}
	}
	absolute := func(atMost float64, unit string) Bound { return Bound{Absolute: &Absolute{AtMost: atMost, Unit: unit}} }
	beside := From{
		Section: "engines", Cell: map[string]string{"engine": "epoll", "conc": "50"}, Beside: map[string]string{"target": "nginx", "conc": "50"},
		Figure: "resources.gateway.cpu_ns:per_request",
	}
	at := func(section, figure string, cell map[string]string) From {
		return From{Section: section, Cell: cell, Figure: figure}
	}
	for _, c := range []struct {
		story  string
		bound  Bound
		from   From
		met    bool
		median float64
		why    string
	}{
		{"a ratio, whatever the host does", ratio(1.2), beside, true, 1.2, ""},
		{"a ratio that is too high", ratio(1.19), beside, false, 1.2, ""},
		{"throughput that the rig bound", ratio(9), From{
			Section: "engines", Cell: map[string]string{"target": "nginx"}, Beside: map[string]string{"engine": "epoll"}, Figure: "requests_per_s",
		}, false, 0, "no such cell"},
		{"a time, in the bound's unit", absolute(50, "ms"), at("boot", "boot.healthz_ns", map[string]string{"workers": "1"}), true, 50, ""},
		{"a time that is too long", absolute(49, "ms"), at("boot", "boot.healthz_ns", nil), false, 50, ""},
		{"memory", absolute(20, "MB"), at("engines", "resources.gateway.peak_rss_bytes", map[string]string{"engine": "epoll"}), true, 18.874368, ""},
		{"a percentile", absolute(3, "µs"), at("staged", "direct.call:p50", map[string]string{"body": "90B"}), true, 2.1, ""},
		{"a percentile of too few samples", absolute(3, "µs"), at("staged", "direct.call:p99", nil), false, 0, "600 samples are too few for p99"},
		{"an exact count holds in each repetition", Bound{Count: &Count{AtMost: 1}}, at("staged", "direct.allocs_per_op", nil), false, 1, ""},
		{"a part that must be absent", absolute(20, "MB"), at("engines", "resources.gateway.peak_rss_bytes", map[string]string{"engine": ""}), true, 18.874368, ""},
		{"two cells for one figure", absolute(20, "MB"), at("engines", "resources.gateway.peak_rss_bytes", nil), false, 0, "2 such cells"},
		{"a cell that did not run", absolute(20, "MB"), at("engines", "requests_per_s", map[string]string{"conc": "7"}), false, 0, "no such cell"},
		{"a figure that no record has", absolute(20, "ms"), at("boot", "boot.speed_ns", nil), false, 0, `no "speed_ns"`},
	} {
		t.Run(c.story, func(t *testing.T) {
			target := Target{ID: "t", Bound: c.bound, From: &c.from}
			v := target.Judge(aRun(t))
			if v.Met != c.met || v.Figure.Median < c.median*0.999 || v.Figure.Median > c.median*1.001 {
				t.Errorf("%+v", v)
			}
			if (c.why == "") != v.Measured() || !strings.Contains(v.Why, c.why) {
				t.Errorf("measured %v: %q, want %q", v.Measured(), v.Why, c.why)
			}
		})
	}
	if v := (&Target{ID: "t", Bound: ratio(1)}).Judge(aRun(t)); v.Measured() || v.Met {
		t.Errorf("a target that a run does not hold: %+v", v)
	}
}

func TestFaultsOfFrom(t *testing.T) {
	const (
		ratio    = "bound: {ratio: {ours: a, theirs: b, at_most: 1}}"
		absolute = "reference: r\nbound: {absolute: {at_most: 1, unit: ms}}"
	)
	for _, c := range []struct{ story, entry, want string }{
		{"no section", absolute + "\nfrom: {figure: boot.healthz_ns}", "section and figure"},
		{"no other side", ratio + "\nfrom: {section: s, figure: a.b_ns}", "from.beside"},
		{"another side of one figure", absolute + "\nfrom: {section: s, figure: a.b_ns, beside: {target: nginx}}", "from.beside"},
		{"another unit", absolute + "\nfrom: {section: s, figure: a.rss_bytes}", "no \"ms\""},
		{"no percentile", absolute + "\nfrom: {section: s, figure: 'a.b:p100'}", "p50 and the like"},
		{"no such reading", absolute + "\nfrom: {section: s, figure: 'a.b:mean'}", "p50 and the like"},
		{"an empty name", absolute + "\nfrom: {section: s, figure: a..b_ns}", "joined by dots"},
		{"a count with a unit", "bound: {count: {at_most: 1}}\nfrom: {section: s, figure: a.b_ns}", "a count has no unit"},
	} {
		t.Run(c.story, func(t *testing.T) {
			text := "targets:\n  - id: a-b\n    metric: m\n    why: w\n    script: s\n    " + strings.ReplaceAll(c.entry, "\n", "\n    ") + "\n"
			if _, err := Parse("t.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %q", err, c.want)
			}
		})
	}
}
