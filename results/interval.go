package results

import (
	"math"
	"slices"
)

// Interval is an estimate of where paired differences lie, with how sure it
// may be.
type Interval struct {
	N      int // differences
	Center float64
	Lo, Hi float64
	// Confidence is the exact probability that an interval made in this way
	// covers the truth: at least what was asked for. 0: there are too few
	// differences for that, and Lo and Hi are the smallest and the largest.
	Confidence float64
}

// Bounded reports whether the interval has the confidence that was asked for.
func (i Interval) Bounded() bool { return i.Confidence > 0 }

// CoversZero reports whether the interval cannot tell the difference from
// none.
func (i Interval) CoversZero() bool { return i.Lo <= 0 && i.Hi >= 0 }

// exactDifferences is the most differences for which the distribution of the
// signed-rank statistic is counted out; beyond it the normal approximation is
// off by less than a rank.
const exactDifferences = 100

// IntervalOf inverts the exact Wilcoxon signed-rank test: under it every
// assignment of signs to the differences is equally likely, as it is when two
// configurations are measured in turn and differ in nothing. The center is the
// median of the means of all pairs (Hodges and Lehmann), which one disturbed
// block does not move; the ends are order statistics of these means. It needs
// no seed. At 95 % it wants at least 6 differences, and from 13 on one
// disturbed block does not move the ends either.
func IntervalOf(diffs []float64, confidence float64) Interval {
	n := len(diffs)
	if n == 0 {
		return Interval{}
	}
	means := make([]float64, 0, n*(n+1)/2)
	for i := range n {
		for j := i; j < n; j++ {
			means = append(means, (diffs[i]+diffs[j])/2)
		}
	}
	slices.Sort(means)
	out := Interval{N: n, Center: quantile(means, 0.5), Lo: means[0], Hi: means[len(means)-1]}
	k, tail := signedRankCut(n, (1-confidence)/2)
	if k == 0 {
		return out
	}
	out.Lo, out.Hi, out.Confidence = means[k-1], means[len(means)-k], 1-2*tail
	return out
}

// signedRankCut is the largest k for which the signed-rank statistic of n
// differences is below k with probability tail ≤ alpha; 0 when there is none.
func signedRankCut(n int, alpha float64) (k int, tail float64) {
	if n > exactDifferences {
		return normalCut(n, alpha)
	}
	// ways[s] is the share of the 2^n assignments of signs whose positive ranks
	// add up to s.
	ways := make([]float64, n*(n+1)/2+1)
	ways[0] = 1
	for rank := 1; rank <= n; rank++ {
		for s := len(ways) - 1; s >= 0; s-- {
			ways[s] /= 2
			if s >= rank {
				ways[s] += ways[s-rank] / 2
			}
		}
	}
	for tail+ways[k] <= alpha {
		tail += ways[k]
		k++
	}
	return k, tail
}

func normalCut(n int, alpha float64) (int, float64) {
	f := float64(n)
	mean, sd := f*(f+1)/4, math.Sqrt(f*(f+1)*(2*f+1)/24)
	k := int(math.Floor(mean - sd*math.Sqrt2*math.Erfinv(1-2*alpha)))
	return k, math.Erfc((mean-float64(k)+0.5)/(sd*math.Sqrt2)) / 2
}
