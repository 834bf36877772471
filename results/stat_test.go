package results

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestPercentileRule(t *testing.T) {
	for _, test := range []struct {
		story   string
		samples int64
		p       float64
		beyond  int64
		stands  bool
	}{
		{"p99 of 10,000 stands", 10_000, 99, 100, true},
		{"p99 of 9,999 does not", 9_999, 99, 99, false},
		{"p50 of 200 stands", 200, 50, 100, true},
		{"p50 of 199 does not", 199, 50, 99, false},
		{"p95 of 2,000 stands", 2_000, 95, 100, true},
		{"p95 of 1,999 does not", 1_999, 95, 99, false},
		{"p99.9 of 100,000 stands", 100_000, 99.9, 100, true},
		{"p99.9 of 99,999 does not", 99_999, 99.9, 99, false},
		{"nothing of nothing", 0, 50, 0, false},
	} {
		t.Run(test.story, func(t *testing.T) {
			p := Percentile{P: test.p, Samples: test.samples, Beyond: Beyond(test.samples, test.p)}
			if p.Beyond != test.beyond || p.Stands() != test.stands {
				t.Errorf("%d beyond, stands %v; want %d, %v", p.Beyond, p.Stands(), test.beyond, test.stands)
			}
		})
	}
	if got := (Percentile{Samples: 500}).Unavailable(); got != "n/a (500 samples)" {
		t.Errorf("got %q", got)
	}
}

func TestPercentileOf(t *testing.T) {
	h := NewHistogram()
	for v := range int64(1000) {
		if err := h.RecordValue(v + 1); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := PercentileOf(h, 90), (Percentile{P: 90, ValueNs: 900, Samples: 1000, Beyond: 100}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestSpread(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   Spread
	}{
		{nil, Spread{}},
		{[]float64{7}, Spread{1, 7, 7, 7, 7, 7}},
		{[]float64{4, 1, 3, 2}, Spread{4, 1, 4, 1.75, 2.5, 3.25}},
		{[]float64{5, 1, 4, 2, 3}, Spread{5, 1, 5, 2, 3, 4}},
	} {
		given := append([]float64(nil), test.values...)
		if got := SpreadOf(given); got != test.want {
			t.Errorf("SpreadOf(%v) = %+v, want %+v", test.values, got, test.want)
		}
		for i := range given {
			if given[i] != test.values[i] {
				t.Errorf("SpreadOf changed its argument to %v", given)
			}
		}
	}
	if r, ok := SpreadOf([]float64{98, 100, 104}).Relative(); !ok || math.Abs(r-0.04) > 1e-12 {
		t.Errorf("Relative = %v, %v; want 0.04", r, ok)
	}
	if _, ok := SpreadOf([]float64{100}).Relative(); ok {
		t.Error("one repetition has a spread")
	}
}

func TestDeltaStandsOnlyAboveNoise(t *testing.T) {
	for _, test := range []struct {
		story    string
		from, to []float64
		stands   bool
	}{
		{"ranges apart", []float64{98, 100, 102}, []float64{103, 105, 107}, true},
		{"apart in the other direction", []float64{103, 105, 107}, []float64{98, 100, 102}, true},
		{"ranges touch", []float64{98, 100, 103}, []float64{103, 105, 107}, false},
		{"ranges overlap", []float64{98, 100, 104}, []float64{103, 105, 107}, false},
		{"far apart, but two repetitions show nothing", []float64{1, 1}, []float64{9, 9, 9}, false},
		{"the same", []float64{5, 5, 5}, []float64{5, 5, 5}, false},
		{"nothing to compare with", nil, []float64{5, 5, 5}, false},
	} {
		t.Run(test.story, func(t *testing.T) {
			d := Delta{From: SpreadOf(test.from), To: SpreadOf(test.to)}
			if d.Stands() != test.stands {
				t.Errorf("Stands is %v", d.Stands())
			}
		})
	}
}

// The rule's false alarms on equal distributions are what its comment states:
// 2 ÷ C(6,3) = 1 in 10 with three repetitions, 2 ÷ C(10,5) = 1 in 126 with
// five.
func TestDeltaFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const trials = 20_000
	for n, want := range map[int]float64{3: 1.0 / 10, 5: 1.0 / 126} {
		alarms := 0
		for range trials {
			draw := func() Spread {
				v := make([]float64, n)
				for i := range v {
					v[i] = random.NormFloat64()
				}
				return SpreadOf(v)
			}
			if (Delta{From: draw(), To: draw()}).Stands() {
				alarms++
			}
		}
		got := float64(alarms) / trials
		// Four standard errors.
		if bound := 4 * math.Sqrt(want*(1-want)/trials); math.Abs(got-want) > bound {
			t.Errorf("%d repetitions: %.4f false alarms, want %.4f ± %.4f", n, got, want, bound)
		}
	}
}
