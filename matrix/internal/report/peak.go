package report

import (
	"fmt"
	"slices"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// A curve is one target's series along an axis with a number, ascending.
type curve struct {
	at     func(*contract.Cell) int
	points []*results.Series
	bound  []*results.Series // left out: the generator or the mock bounded their throughput
}

// alongAxis is the series that differ only in what clear blanks, ascending.
// Where other axes vary too, the first combination met is taken, so that a
// curve never mixes loads.
func alongAxis(all []*results.Series, at func(*contract.Cell) int, clear func(*contract.Cell)) []*results.Series {
	var out []*results.Series
	key := ""
	for _, s := range all {
		blank := s.Cell
		clear(&blank)
		if key == "" {
			key = blank.Key()
		}
		if blank.Key() == key {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *results.Series) int { return at(&a.Cell) - at(&b.Cell) })
	return out
}

func curveOf(v *view, at func(*contract.Cell) int, clear func(*contract.Cell)) curve {
	c := curve{at: at}
	for _, s := range alongAxis(v.measured(false), at, clear) {
		if s.Spread(comparable).N == 0 {
			c.bound = append(c.bound, s)
		} else {
			c.points = append(c.points, s)
		}
	}
	return c
}

func concOf(c *contract.Cell) int    { return c.Conc }
func clearConc(c *contract.Cell)     { c.Conc = 0 }
func workersOf(c *contract.Cell) int { return c.Workers }
func clearWorkers(c *contract.Cell)  { c.Workers = 0 }
func concCurve(v *view) curve        { return curveOf(v, concOf, clearConc) }
func workersCurve(v *view) curve     { return curveOf(v, workersOf, clearWorkers) }

// peak is the point with the highest median throughput, and the first point
// that the peak does not beat beyond noise: from there on, more buys nothing
// that the repetitions show. Both are nil on an empty curve.
func (c curve) peak() (top, knee *results.Series) {
	for _, s := range c.points {
		if top == nil || s.Spread(comparable).Median > top.Spread(comparable).Median {
			top = s
		}
	}
	for _, s := range c.points {
		if s == top || !change(s, top).Stands() {
			return top, s
		}
	}
	return top, nil
}

// last is the point with the largest number; the curve is not empty.
func (c curve) last() *results.Series { return c.points[len(c.points)-1] }

// change is the change of throughput between two series.
func change(from, to *results.Series) results.Delta {
	return results.Delta{From: from.Spread(comparable), To: to.Spread(comparable)}
}

// leftOut says which points the curve lacks, or nothing.
func (c curve) leftOut(title string) string {
	if len(c.bound) == 0 {
		return ""
	}
	var at []string
	for _, s := range c.bound {
		at = append(at, number(c.at(&s.Cell)))
	}
	return fmt.Sprintf(" (left out, since the generator or the mock bounded them: %s %s)", title, enumerate(at))
}
