package price

import (
	"math"
	"math/big"
	"testing"
)

const dollar = 1_000_000_000

func TestCost(t *testing.T) {
	for _, tc := range []struct {
		story                         string
		in, out, promptTok, outputTok int64
		want                          int64
	}{
		{"nothing used costs nothing", 5 * dollar, 15 * dollar, 0, 0, 0},
		{"a free model costs nothing", 0, 0, 1000, 1000, 0},
		{"a million prompt tokens cost the prompt price", 5 * dollar, 15 * dollar, 1_000_000, 0, 5 * dollar},
		{"prompt and output are added", 5 * dollar, 15 * dollar, 1000, 100, 5_000_000 + 1_500_000},
		{"the smallest price of one token rounds up to one nano-dollar", 1, 0, 1, 0, 1},
		{"two halves of a nano-dollar are rounded once, not twice", 500_000, 500_000, 1, 1, 1},
		{"an exact nano-dollar is not rounded", 1_000_000, 0, 1, 0, 1},
		{"one millionth over is", 1_000_001, 0, 1, 0, 2},
		{"negative usage counts as none", 5 * dollar, 5 * dollar, -7, 10, 50_000},
		{"a negative price counts as free", -5, 5 * dollar, 1000, 10, 50_000},
		{"a product beyond 64 bits is still exact", math.MaxInt64, 0, 999_999, 0, 9_223_362_813_482_738_953},
		{"a cost beyond int64 saturates", math.MaxInt64, 0, 1_000_001, 0, math.MaxInt64},
		{"the largest arguments saturate", math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64},
	} {
		if got := Cost(tc.in, tc.out, tc.promptTok, tc.outputTok); got != tc.want {
			t.Errorf("%s: got %d, want %d", tc.story, got, tc.want)
		}
	}
}

// FuzzCost compares with arithmetic that has no width.
func FuzzCost(f *testing.F) {
	f.Add(int64(5*dollar), int64(15*dollar), int64(12_345), int64(678))
	f.Add(int64(1<<30-1), int64(1<<30), int64(1<<30), int64(1<<30-1))
	f.Add(int64(math.MaxInt64), int64(math.MinInt64), int64(math.MaxInt64), int64(1))
	f.Fuzz(func(t *testing.T, in, out, promptTok, outputTok int64) {
		want := exact(in, out, promptTok, outputTok)
		if got := Cost(in, out, promptTok, outputTok); got != want {
			t.Errorf("Cost(%d, %d, %d, %d) = %d, want %d", in, out, promptTok, outputTok, got, want)
		}
	})
}

func exact(in, out, promptTok, outputTok int64) int64 {
	product := func(a, b int64) *big.Int {
		return new(big.Int).Mul(big.NewInt(max(a, 0)), big.NewInt(max(b, 0)))
	}
	sum := product(in, promptTok)
	sum.Add(sum, product(out, outputTok))
	sum.Add(sum, big.NewInt(perMillion-1))
	sum.Quo(sum, big.NewInt(perMillion))
	if !sum.IsInt64() {
		return math.MaxInt64
	}
	return sum.Int64()
}

func TestCostDoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Cost(5*dollar, 15*dollar, 1<<40, 1<<40) }); n != 0 {
		t.Errorf("allocates %v times", n)
	}
}
