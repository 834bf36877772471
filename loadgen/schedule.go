package loadgen

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// An Arrival says when requests are wanted in open loop.
type Arrival struct {
	Kind     string  // ArrivalsConstant or ArrivalsPoisson
	RatePerS float64 // mean arrivals per second, > 0
	Seed     uint64  // of the Poisson process; the constant one has no chance in it
}

// Schedule gives the intended times of n requests in nanoseconds after the
// start, rising. It is a pure function of its arguments.
//
// Constant: t(i) = i/λ. Each time is computed from i, not from the time
// before, so that rounding does not add up.
//
// Poisson: the gaps are independent and exponential with mean 1/λ, and the
// first request comes after the first gap. Times are summed in float64 nanoseconds: after a day the unit in
// the last place is still 1/64 ns.
func (a Arrival) Schedule(n int) ([]int64, error) {
	return a.schedule(n, math.MaxInt64)
}

// ScheduleUntil gives the intended times of warmup requests, of the first one
// after them, and of those that come less than d later: n without the warm-up
// at most (0: no limit).
func (a Arrival) ScheduleUntil(warmup, n int, d time.Duration) ([]int64, error) {
	limit := maxScheduled
	if n > 0 {
		limit = warmup + n
	}
	start, err := a.schedule(warmup+1, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	return a.schedule(limit, start[warmup]+int64(d))
}

// schedule gives up to n times, all before end.
func (a Arrival) schedule(n int, end int64) ([]int64, error) {
	if !(a.RatePerS > 0) || math.IsInf(a.RatePerS, 1) {
		return nil, fmt.Errorf("schedule: rate %v is not above 0", a.RatePerS)
	}
	mean := 1e9 / a.RatePerS // ns
	var next func(i int) float64
	switch a.Kind {
	case ArrivalsConstant:
		next = func(i int) float64 { return float64(i) * mean }
	case ArrivalsPoisson:
		rng := rand.New(rand.NewPCG(a.Seed, 0x6a09e667f3bcc908))
		t := 0.0
		next = func(int) float64 {
			t += rng.ExpFloat64() * mean
			return t
		}
	default:
		return nil, fmt.Errorf("schedule: unknown arrivals %q", a.Kind)
	}
	expected := n
	if end < math.MaxInt64 {
		expected = min(n, int(float64(end)/mean*1.1)+16)
	}
	times := make([]int64, 0, expected)
	for i := range n {
		t := next(i)
		if t >= float64(end) || t >= math.MaxInt64/2 {
			break
		}
		times = append(times, int64(t))
	}
	return times, nil
}
