package report

import (
	"github.com/tollgate-lab/tollgate/results"
)

// shift is the difference of two figures that a table shows, with what it
// takes to say whether it may be printed and how far it may be off.
type shift struct {
	from, to float64 // as the table shows them
	reps     results.Delta
	stands   bool // both figures stand by themselves
}

// shiftOf is the difference of two percentiles of merged histograms: medians
// of the repetitions' own percentiles are other figures, which no table shows.
func shiftOf(from, to results.Quantile) shift {
	return shift{
		from: float64(from.ValueNs), to: float64(to.ValueNs),
		reps:   results.Delta{From: from.Spread, To: to.Spread},
		stands: from.Stands() && to.Stands(),
	}
}

// medianShift is the difference of two medians over repetitions.
func medianShift(d results.Delta) shift {
	return shift{from: d.From.Median, to: d.To.Median, reps: d, stands: true}
}

func (s shift) absolute() float64 { return s.to - s.from }

// refusal says why the difference is not printed; it is empty when it is.
func (s shift) refusal() string {
	switch {
	case s.reps.From.N == 0 || s.reps.To.N == 0:
		return none
	case !s.stands:
		return "n/a"
	case !s.reps.Decides():
		return undecided
	case !s.reps.Stands():
		return withinNoise
	}
	return ""
}

// spread is the least and the most that the difference is between one
// repetition of each side. It is printed in full, not as ±: it lies unevenly
// around the difference and, where that is printed, never crosses zero.
func (s shift) spread(n int, unit scale) string {
	least, most := s.reps.To.Min-s.reps.From.Max, s.reps.To.Max-s.reps.From.Min
	return " (" + unit.of(least/float64(n)) + " to " + unit.of(most/float64(n)) + ")"
}

// by prints the difference divided by n, with its range.
func (s shift) by(n int, unit scale) string {
	if why := s.refusal(); why != "" {
		return why
	}
	return unit.of(s.absolute()/float64(n)) + s.spread(n, unit)
}

// text prints the difference with its sign and range.
func (s shift) text(unit scale) string {
	out := s.by(1, unit)
	if s.refusal() == "" && s.absolute() > 0 {
		out = "+" + out
	}
	return out
}

// share prints the difference in percent of the figure it starts from.
func (s shift) share() string {
	if why := s.refusal(); why != "" {
		return why
	}
	if s.from == 0 {
		return none
	}
	return signedPercent(s.absolute() / s.from)
}
