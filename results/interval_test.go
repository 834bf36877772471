package results

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Ends that the published tables of the signed-rank test give (two-sided 5 %:
// no critical value for 5 differences, 0 for 6, 2 for 7, 8 for 10, 52 for 20).
func TestSignedRankCutAgreesWithTheTables(t *testing.T) {
	for n, want := range map[int]int{5: 0, 6: 1, 7: 3, 10: 9, 20: 53} {
		k, tail := signedRankCut(n, 0.025)
		if k != want || tail > 0.025 {
			t.Errorf("%d differences: below %d with probability %g, want %d", n, k, tail, want)
		}
	}
	// The approximation takes over where it no longer matters.
	exact, _ := signedRankCut(exactDifferences, 0.025)
	near, tail := normalCut(exactDifferences, 0.025)
	if d := exact - near; d < -2 || d > 2 || tail > 0.026 {
		t.Errorf("exact %d, approximated %d, tail %g", exact, near, tail)
	}
}

func TestIntervalOf(t *testing.T) {
	for _, c := range []struct {
		story  string
		diffs  []float64
		want   Interval
		covers bool
	}{
		{"seven in a row", []float64{7, 1, 6, 2, 5, 3, 4}, Interval{N: 7, Center: 4, Lo: 2, Hi: 6, Confidence: 1 - 6.0/128}, false},
		{"one disturbed block does not move the center", []float64{1, 2, 3, 4, 5, 6, 700}, Interval{N: 7, Center: 4, Lo: 2, Hi: 352.5, Confidence: 1 - 6.0/128}, false},
		{"around zero", []float64{-3, -2, -1, 1, 2, 3}, Interval{N: 6, Center: 0, Lo: -3, Hi: 3, Confidence: 1 - 2.0/64}, true},
		{"too few", []float64{1, 2, 3, 4, 5}, Interval{N: 5, Center: 3, Lo: 1, Hi: 5}, false},
		{"none", nil, Interval{}, true},
	} {
		got := IntervalOf(c.diffs, 0.95)
		if math.Abs(got.Confidence-c.want.Confidence) > 1e-9 {
			t.Errorf("%s: confidence %g, want %g", c.story, got.Confidence, c.want.Confidence)
		}
		got.Confidence = c.want.Confidence
		if got != c.want || got.CoversZero() != c.covers || got.Bounded() != (c.want.Confidence > 0) {
			t.Errorf("%s: %+v, want %+v", c.story, got, c.want)
		}
	}
}

// The interval covers what it is an interval of as often as it says, and one
// around no difference excludes zero as seldom.
func TestIntervalCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const trials, n, truth = 4000, 12, 0.3
	covered := 0
	var confidence float64
	for range trials {
		diffs := make([]float64, n)
		for i := range diffs {
			diffs[i] = truth + r.NormFloat64()
		}
		iv := IntervalOf(diffs, 0.95)
		confidence = iv.Confidence
		if iv.Lo <= truth && truth <= iv.Hi {
			covered++
		}
	}
	got := float64(covered) / trials
	// Three standard errors of the share.
	if off := 3 * math.Sqrt(confidence*(1-confidence)/trials); math.Abs(got-confidence) > off || confidence < 0.95 {
		t.Errorf("covers in %.4f of the trials, promises %.4f", got, confidence)
	}
}
