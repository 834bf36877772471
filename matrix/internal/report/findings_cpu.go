package report

import (
	"fmt"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// cpuOf is the gateway's CPU-µs per request, or the whole process's where one
// process holds all.
func cpuOf(s *results.Series) results.Spread {
	if cpu := s.Spread(cpuPerRequest(gatewayUsage)); cpu.N > 0 {
		return cpu
	}
	return s.Spread(cpuPerRequest(processUsage))
}

// alike divides the gateway's series into those that differ only in what
// clear blanks.
func (v *view) alike(clear func(*contract.Cell)) [][]*results.Series {
	var out [][]*results.Series
	at := make(map[string]int)
	for _, s := range v.measured(false) {
		if cpuOf(s).N == 0 {
			continue
		}
		blank := s.Cell
		clear(&blank)
		i, ok := at[blank.Key()]
		if !ok {
			i = len(out)
			at[blank.Key()] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], s)
	}
	return out
}

// engineFindings tells what a request costs each engine, and which costs least.
func engineFindings(v *view) []string {
	if out := yardstickFindings(v); len(out) > 0 {
		return out
	}
	var out []string
	for _, group := range v.alike(func(c *contract.Cell) { c.Engine = "" }) {
		if len(group) < 2 {
			continue
		}
		var said, above, same, open []string
		least := group[0]
		for _, s := range group {
			said = append(said, s.Cell.Engine+" "+spreadText(cpuOf(s), asItIs))
			if cpuOf(s).Median < cpuOf(least).Median {
				least = s
			}
		}
		for _, s := range group {
			d := results.Delta{From: cpuOf(least), To: cpuOf(s)}
			switch {
			case s == least:
			case !d.Decides():
				open = append(open, s.Cell.Engine)
			case d.Stands():
				above = append(above, s.Cell.Engine)
			default:
				same = append(same, s.Cell.Engine)
			}
		}
		text := fmt.Sprintf("**Engines** (shape %s, %d in flight), CPU-µs per request: %s; the lowest median is that of %s",
			group[0].Cell.Shape, group[0].Cell.Conc, strings.Join(said, ", "), least.Cell.Engine)
		if len(above) > 0 {
			text += ", beyond noise below " + enumerate(above)
		}
		if len(same) > 0 {
			text += ", within noise of " + enumerate(same)
		}
		if len(open) > 0 {
			text += ", not compared with " + enumerate(open) + " (" + undecided + ")"
		}
		out = append(out, text)
	}
	return out
}

// bodyFindings tells what the smallest and the largest body cost.
func bodyFindings(v *view) []string {
	var out []string
	for _, group := range v.alike(func(c *contract.Cell) { c.Body = "" }) {
		var small, large *results.Series
		size := func(s *results.Series) float64 { return s.Spread(bodyBytes).Median }
		for _, s := range group {
			if size(s) == 0 {
				continue
			}
			if small == nil || size(s) < size(small) {
				small = s
			}
			if large == nil || size(s) > size(large) {
				large = s
			}
		}
		if small == large {
			continue
		}
		said := func(s *results.Series) string {
			return fmt.Sprintf("%s with the body of %s bytes (%s)", spreadText(cpuOf(s), asItIs), bodyBytesText(s), s.Cell.Body)
		}
		out = append(out, fmt.Sprintf("**Bodies** (shape %s, %d in flight), CPU-µs per request: %s, %s; change %s",
			small.Cell.Shape, small.Cell.Conc, said(small), said(large), relativeDelta(results.Delta{From: cpuOf(small), To: cpuOf(large)})))
	}
	return out
}
