package lint

import (
	"math"
	"testing"
)

func TestParseQuantity(t *testing.T) {
	for _, c := range []struct {
		text  string
		value float64
		dim   Dimension
	}{
		{"42", 42, Plain},
		{"1,069", 1069, Plain},
		{"1,000,000,000,000", 1e12, Plain},
		{"1\u202f069 rps", 1069, PerSecond},
		{"1'069", 1069, Plain},
		{"1,5 ms", 1.5e-3, Time},
		{"0.5", 0.5, Plain},
		{"−8 %", -8, Percent},
		{"+348%", 348, Percent},
		{"57.3k", 57300, Plain},
		{"~57.3k rps", 57300, PerSecond},
		{"3.1M ops/s", 3.1e6, PerSecond},
		{"5.3 million ops/sec", 5.3e6, PerSecond},
		{"92.8 krps", 92800, PerSecond},
		{"120 requests/min", 2, PerSecond},
		{"222 ns", 222e-9, Time},
		{"9.9 µs", 9.9e-6, Time},
		{"9.9 μs", 9.9e-6, Time},
		{"9.9us", 9.9e-6, Time},
		{"1,745 ms", 1.745, Time},
		{"2 s", 2, Time},
		{"53.4 CPU-µs", 53.4e-6, CPUTime},
		{"90B", 90, Bytes},
		{"52 KB", 52e3, Bytes},
		{"100 KiB", 102400, Bytes},
		{"4.5 MB/s per op", 4.5e6, ByteRate},
		{"4.5 MiB/s", 4.5 * (1 << 20), ByteRate},
		{"2 GB/s", 2e9, ByteRate},
		{"8 Gbit/s", 1e9, ByteRate},
		{"8 Gbps", 1e9, ByteRate},
		{"6.2x", 6.2, Ratio},
		{"11.8 ×", 11.8, Ratio},
		{"10^9 tokens", 1e9, Tokens},
		{"10⁹ tokens", 1e9, Tokens},
		{"5×10⁸ tokens", 5e8, Tokens},
		{"13k tokens reserved", 13000, Tokens},
		{"1e-3 s", 1e-3, Time},
		{"83–90 ns", 86.5e-9, Time},
		{"16,362 ±29%", 16362, Plain},
		{"5.1 ± 0.2 ms", 5.1e-3, Time},
		{"< 1 µs", 1e-6, Time},
		{"≥ 100K req/s", 1e5, PerSecond},
		{"6.17 (2.35 to 8.83)", 6.17, Plain},
	} {
		q, ok := ParseQuantity(c.text)
		if !ok || q.Dim != c.dim || math.Abs(q.Value-c.value) > 1e-9*math.Abs(c.value) {
			t.Errorf("%q: %v %g of dimension %d, want %g of %d", c.text, ok, q.Value, q.Dim, c.value, c.dim)
		}
	}
}

func TestParseQuantityRefuses(t *testing.T) {
	for _, text := range []string{"", "–", "n/a", "n/a (12 samples)", "within noise", "16-turn", "1st", "p99", "x", "ms", "±5%", "e9", "--1"} {
		if q, ok := ParseQuantity(text); ok {
			t.Errorf("%q is read as %+v", text, q)
		}
	}
}

func TestNoFigure(t *testing.T) {
	for _, text := range []string{"2026-12-01", "1 in 5", "8 vCPU box", "1 069 rps", "1.2.3"} {
		if q, ok := ParseQuantity(text); ok && q.Figure() {
			t.Errorf("%q is read as the figure %+v", text, q)
		}
	}
}

func TestQuantityEnds(t *testing.T) {
	for _, c := range []struct {
		story, text     string
		lo, hi          float64 // rounding and range
		leastRun, mostR float64 // with the spread
	}{
		{"half of the last digit", "1.20", 1.195, 1.205, 1.195, 1.205},
		{"a whole number", "1 ms", 0.5e-3, 1.5e-3, 0.5e-3, 1.5e-3},
		{"a multiplier", "99k", 98_500, 99_500, 98_500, 99_500},
		{"about", "~57,300", 57_250, 57_350, 57_250, 57_350},
		{"a relative spread", "100 ±10%", 99.5, 100.5, 89.5, 110.5},
		{"an absolute spread", "10.0 ± 2.0 ms", 9.95e-3, 10.05e-3, 7.95e-3, 12.05e-3},
		{"a range", "83–90 ns", 82.5e-9, 90.5e-9, 82.5e-9, 90.5e-9},
		{"a range behind it", "6.17 (2.35 to 8.83)", 2.345, 8.835, 2.345, 8.835},
		{"a power", "10^9", 1e9, 1e9, 1e9, 1e9},
	} {
		t.Run(c.story, func(t *testing.T) {
			q, ok := ParseQuantity(c.text)
			if !ok {
				t.Fatal("not read")
			}
			for name, v := range map[string][2]float64{
				"Lo": {q.Lo(), c.lo}, "Hi": {q.Hi(), c.hi}, "LeastRun": {q.LeastRun(), c.leastRun}, "MostRun": {q.MostRun(), c.mostR},
			} {
				if math.Abs(v[0]-v[1]) > 1e-9*math.Abs(v[1]) {
					t.Errorf("%s %g, want %g", name, v[0], v[1])
				}
			}
		})
	}
}

// FuzzParseQuantity: whatever the text, a figure that is read is finite, its
// ends are in order, and its rest is the text's end or what was inside it.
func FuzzParseQuantity(f *testing.F) {
	for _, s := range []string{"~57.3k rps", "16,362 ±29%", "83–90 ns", "5×10⁸ tokens", "10^9", "1e-3 s", "6.17 (2.35 to 8.83)", "4.5 MB/s per op", "−8 %", "1'000,5", "±", "9.9μs", "1e999", "10^99", "1\u202f000 ms", "(", "5 ± 5 (1 to"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, ok := ParseQuantity(s)
		if !ok {
			return
		}
		for _, v := range []float64{q.Value, q.Low, q.High, q.Half, q.Lo(), q.Hi(), q.Spread} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%q: %+v is not finite", s, q)
			}
		}
		if q.Low > q.High || q.Half < 0 || q.Spread < 0 || len(q.Rest) > len(s) {
			t.Fatalf("%q: %+v", s, q)
		}
		_ = figures(s)
		_ = claimsIn(s)
	})
}
