package results

import (
	"fmt"
	"math"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// MinBeyond is how many samples must lie beyond a percentile before it stands
// in a table: p99 then needs 10,000 requests, p50 needs 200.
const MinBeyond = 100

// Percentile is one percentile of one histogram.
type Percentile struct {
	P       float64 // in (0, 100)
	ValueNs int64
	Samples int64 // in the whole histogram
	Beyond  int64 // of them, beyond the percentile
}

// Beyond is how many of samples lie beyond percentile p, in (0, 100).
func Beyond(samples int64, p float64) int64 {
	// In thousandths of a percent, so that p99 of 10,000 is exactly 100.
	tail := int64(math.Round((100 - p) * 1000))
	return int64(float64(samples) * float64(tail) / 100_000)
}

// PercentileOf reads percentile p, in (0, 100), of h.
func PercentileOf(h *hdrhistogram.Histogram, p float64) Percentile {
	n := h.TotalCount()
	return Percentile{P: p, ValueNs: h.ValueAtPercentile(p), Samples: n, Beyond: Beyond(n, p)}
}

// Stands reports whether enough samples lie beyond the percentile.
func (p Percentile) Stands() bool { return p.Beyond >= MinBeyond }

// Unavailable is what a table prints for a percentile that does not stand.
func (p Percentile) Unavailable() string { return fmt.Sprintf("n/a (%d samples)", p.Samples) }

// Spread summarises the repetitions of one figure. All fields but N are in
// the figure's own unit.
type Spread struct {
	N              int
	Min, Max       float64
	Q1, Median, Q3 float64
}

// SpreadOf summarises values; it leaves them as they are. No values: N is 0.
func SpreadOf(values []float64) Spread {
	if len(values) == 0 {
		return Spread{}
	}
	v := slices.Sorted(slices.Values(values))
	return Spread{
		N: len(v), Min: v[0], Max: v[len(v)-1],
		Q1: quantile(v, 0.25), Median: quantile(v, 0.5), Q3: quantile(v, 0.75),
	}
}

// quantile interpolates between the order statistics around q·(n−1).
// sorted is not empty.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	lo := int(math.Floor(at))
	hi := min(lo+1, len(sorted)-1)
	return sorted[lo] + (at-float64(lo))*(sorted[hi]-sorted[lo])
}

// Relative is the distance from the median to the farthest repetition, as a
// share of the median: every repetition lies within median ± Relative. It
// reports false where that says nothing: fewer than two repetitions, or a
// median of zero.
func (s Spread) Relative() (float64, bool) {
	if s.N < 2 || s.Median == 0 {
		return 0, false
	}
	return max(s.Max-s.Median, s.Median-s.Min) / math.Abs(s.Median), true
}

// MinRepetitions is the fewest repetitions on either side of a Delta that may
// stand: with three on each side, ranges that happen to lie apart have a
// probability of one in ten, with five of one in 126.
const MinRepetitions = 3

// Delta is a difference of medians between two sets of repetitions.
type Delta struct {
	From, To Spread
}

// Absolute is To − From, of the medians.
func (d Delta) Absolute() float64 { return d.To.Median - d.From.Median }

// Relative is Absolute as a share of From's median; false when that is zero.
func (d Delta) Relative() (float64, bool) {
	if d.From.N == 0 || d.To.N == 0 || d.From.Median == 0 {
		return 0, false
	}
	return d.Absolute() / math.Abs(d.From.Median), true
}

// Stands reports whether the difference exceeds the noise: at least
// MinRepetitions on each side, and the two ranges from the smallest to the
// largest repetition do not touch. It is a rule for what may be printed, not
// a verdict: verdicts need paired blocks.
func (d Delta) Stands() bool {
	return d.Decides() && (d.From.Max < d.To.Min || d.To.Max < d.From.Min)
}

// Decides reports whether there are repetitions enough for Stands to tell
// noise from a difference.
func (d Delta) Decides() bool {
	return d.From.N >= MinRepetitions && d.To.N >= MinRepetitions
}
