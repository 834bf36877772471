package loadgen

import (
	"math"
	"slices"
	"sort"
	"testing"
	"time"
)

// kolmogorov is the largest distance between the empirical distribution of
// xs and the distribution function f.
func kolmogorov(xs []float64, f func(float64) float64) (d float64) {
	sort.Float64s(xs)
	n := float64(len(xs))
	for i, x := range xs {
		d = max(d, f(x)-float64(i)/n, float64(i+1)/n-f(x))
	}
	return d
}

// ksLimit is the critical distance at significance 0.01 for n samples: the
// asymptotic 1.628/√n (Kolmogorov's distribution).
func ksLimit(n int) float64 { return 1.628 / math.Sqrt(float64(n)) }

func gaps(times []int64) []float64 {
	g := make([]float64, len(times))
	last := int64(0)
	for i, t := range times {
		g[i] = float64(t - last)
		last = t
	}
	return g
}

const ksN = 10_000

func TestPoissonGapsAreExponential(t *testing.T) {
	for _, rate := range []float64{10, 1000, 50_000} {
		for seed := range uint64(4) {
			times, err := Arrival{ArrivalsPoisson, rate, seed}.Schedule(ksN)
			if err != nil {
				t.Fatal(err)
			}
			exponential := func(x float64) float64 { return 1 - math.Exp(-x*rate/1e9) }
			if d := kolmogorov(gaps(times), exponential); d > ksLimit(ksN) {
				t.Errorf("rate %g seed %d: distance %.4f is above %.4f", rate, seed, d, ksLimit(ksN))
			}
			// Given their number, Poisson arrivals lie uniformly in their span.
			last := float64(times[ksN-1])
			var at []float64
			for _, x := range times[:ksN-1] {
				at = append(at, float64(x))
			}
			if d := kolmogorov(at, func(x float64) float64 { return x / last }); d > ksLimit(ksN-1) {
				t.Errorf("rate %g seed %d: arrivals are not uniform, distance %.4f", rate, seed, d)
			}
		}
	}
}

// The test above must be able to fail.
func TestKolmogorovRejectsOtherGaps(t *testing.T) {
	const rate = 1000
	exponential := func(x float64) float64 { return 1 - math.Exp(-x*rate/1e9) }
	slower, err := Arrival{ArrivalsPoisson, rate * 0.9, 1}.Schedule(ksN)
	if err != nil {
		t.Fatal(err)
	}
	constant, err := Arrival{ArrivalsConstant, rate, 1}.Schedule(ksN)
	if err != nil {
		t.Fatal(err)
	}
	for name, times := range map[string][]int64{"a rate 10 % too low": slower, "constant gaps": constant} {
		if d := kolmogorov(gaps(times), exponential); d <= ksLimit(ksN) {
			t.Errorf("%s passes for a Poisson process: distance %.4f", name, d)
		}
	}
}

func TestConstantArrivalsDoNotDrift(t *testing.T) {
	times, err := Arrival{ArrivalsConstant, 3, 0}.Schedule(300_001)
	if err != nil {
		t.Fatal(err)
	}
	if times[0] != 0 || times[1] != 333_333_333 || times[3] != 1_000_000_000 || times[300_000] != 100_000*int64(time.Second) {
		t.Errorf("times %d, %d, %d, …, %d", times[0], times[1], times[3], times[300_000])
	}
}

func TestScheduleIsAFunctionOfItsSeed(t *testing.T) {
	schedule := func(seed uint64, n int) []int64 {
		times, err := Arrival{ArrivalsPoisson, 100, seed}.Schedule(n)
		if err != nil {
			t.Fatal(err)
		}
		return times
	}
	if !slices.Equal(schedule(5, 1000), schedule(5, 1000)) {
		t.Error("one seed gives two schedules")
	}
	if slices.Equal(schedule(5, 1000), schedule(6, 1000)) {
		t.Error("two seeds give one schedule")
	}
	if long := schedule(5, 2000); !slices.Equal(long[:1000], schedule(5, 1000)) || !slices.IsSorted(long) {
		t.Error("a longer schedule does not begin with the shorter one, or does not rise")
	}
}

func TestScheduleUntil(t *testing.T) {
	for _, tt := range []struct {
		story     string
		warmup, n int
		d         time.Duration
		want      int
	}{
		{"a second at 100/s", 0, 0, time.Second, 100},
		{"the warm-up comes before", 10, 0, time.Second, 110},
		{"so many at most", 10, 50, time.Second, 60},
		{"the time ends first", 10, 5000, time.Second, 110},
		{"one request at least", 3, 0, time.Nanosecond, 4},
	} {
		t.Run(tt.story, func(t *testing.T) {
			times, err := Arrival{ArrivalsConstant, 100, 0}.ScheduleUntil(tt.warmup, tt.n, tt.d)
			if err != nil || len(times) != tt.want {
				t.Errorf("%d times, %v; want %d", len(times), err, tt.want)
			}
		})
	}
}

func TestScheduleRefusesWhatIsNoRate(t *testing.T) {
	for _, a := range []Arrival{
		{ArrivalsConstant, 0, 0},
		{ArrivalsConstant, -1, 0},
		{ArrivalsPoisson, math.NaN(), 0},
		{ArrivalsPoisson, math.Inf(1), 0},
		{"bursty", 1, 0},
	} {
		if _, err := a.Schedule(1); err == nil {
			t.Errorf("%+v gives a schedule", a)
		}
	}
}
