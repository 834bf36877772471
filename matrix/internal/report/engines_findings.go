package report

import (
	"fmt"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
)

// enginesName is the section's name.
const enginesName = "engines"

// yardstickFindings says, for each load, what each engine of the gateway costs
// beside the yardstick as concurrency rises. Empty where it did not run.
func yardstickFindings(v *view) []string {
	var out []string
	loads := engineLoads(v)
	name := sideNames(v)
	for i := range loads {
		l := &loads[i]
		var order []string
		said := make(map[string][]string)
		for _, s := range l.series {
			y := l.yardstick(s)
			if s.Cell.Target != results.TargetGateway || y == nil || len(s.Reps) == 0 {
				continue
			}
			r := within(s, y, cpuPerRequest(gatewayUsage))
			if r.N == 0 {
				continue
			}
			side := name(&s.Cell)
			order = appendNew(order, side)
			said[side] = append(said[side], fmt.Sprintf("%s at %d in flight", ratioText(r), s.Cell.Conc))
		}
		var sides []string
		for _, side := range order {
			sides = append(sides, side+" "+strings.Join(said[side], ", "))
		}
		if len(sides) > 0 {
			out = append(out, fmt.Sprintf("**Engines beside %s** (%s), CPU per request ÷ %s within a block: %s",
				yardstick, lowerFirst(l.words(loads)), yardstick, strings.Join(sides, "; ")))
		}
	}
	return out
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// enginePlots draws CPU per request over concurrency, a picture for each load
// with a line for each engine and proxy.
func enginePlots(v *view) []plot {
	var out []plot
	loads := engineLoads(v)
	name := sideNames(v)
	for i := range loads {
		l := &loads[i]
		c := chart{
			title: "CPU-µs per request, " + lowerFirst(l.words(loads)), under: underText(gatewaySeries(l.series)),
			x: axisConc.title, y: "CPU-µs",
		}
		var order []string
		lines := make(map[string][]point)
		for _, s := range l.series {
			cpu := cpuOf(s)
			at := axisConc.of(&s.Cell)
			if cpu.N == 0 || at == none {
				continue
			}
			side := name(&s.Cell)
			order = appendNew(order, side)
			lines[side] = append(lines[side], point{at, cpu})
		}
		for _, side := range order {
			if len(lines[side]) > 1 {
				c.lines = append(c.lines, line{name: side, points: lines[side]})
			}
		}
		if len(c.lines) > 0 {
			out = append(out, plot{file: enginesName + "-" + l.file() + ".svg", title: c.name(), draw: c.svg})
		}
	}
	return out
}

func gatewaySeries(all []*results.Series) []*results.Series {
	var out []*results.Series
	for _, s := range all {
		if s.Cell.Target == results.TargetGateway {
			out = append(out, s)
		}
	}
	return out
}
