package mockupstream

import (
	"fmt"
	"math"
)

// WaitKind is a family of waits.
type WaitKind string

const (
	WaitNone      WaitKind = "none"
	WaitConstant  WaitKind = "constant"
	WaitLognormal WaitKind = "lognormal"
)

// maxWaitUs bounds every wait at ten minutes, the range of the lab's
// histograms.
const maxWaitUs = 600e6

// Wait is a distribution of waits.
type Wait struct {
	// Kind is "none" when empty.
	Kind WaitKind `json:"kind"`
	// MeanUs is the mean in microseconds, above 0 and at most 600,000,000
	// (ten minutes, where draws are capped too). 0 under "none".
	MeanUs float64 `json:"mean_us,omitempty"`
	// Sigma is the standard deviation of the wait's natural logarithm, above
	// 0 and at most 3; under "lognormal" only.
	Sigma float64 `json:"sigma,omitempty"`
}

func (w Wait) filled() Wait {
	if w.Kind == "" {
		w.Kind = WaitNone
	}
	return w
}

func (w *Wait) validate(key string) error {
	switch w.Kind {
	case WaitNone:
		if w.MeanUs != 0 || w.Sigma != 0 {
			return fmt.Errorf("script: %s: mean_us and sigma need a kind", key)
		}
		return nil
	case WaitConstant, WaitLognormal:
	default:
		return fmt.Errorf("script: %s: kind %q, want none, constant or lognormal", key, w.Kind)
	}
	if !(w.MeanUs > 0 && w.MeanUs <= maxWaitUs) {
		return fmt.Errorf("script: %s: mean_us is %g, want above 0 and at most %g", key, w.MeanUs, float64(maxWaitUs))
	}
	if w.Kind == WaitConstant && w.Sigma != 0 {
		return fmt.Errorf("script: %s: sigma is for kind lognormal", key)
	}
	if w.Kind == WaitLognormal && !(w.Sigma > 0 && w.Sigma <= 3) {
		return fmt.Errorf("script: %s: sigma is %g, want above 0 and at most 3", key, w.Sigma)
	}
	return nil
}

// draw is one wait in nanoseconds, fixed by the key.
//
// A log-normal variable exp(μ + σZ) has mean exp(μ + σ²/2), so μ is
// ln(mean) − σ²/2. Z is had from two uniform draws (Box and Muller, 1958).
func (w *Wait) draw(key uint64) int64 {
	us := w.MeanUs
	switch w.Kind {
	case WaitNone:
		return 0
	case WaitConstant:
	case WaitLognormal:
		u1, u2 := 1-unit(mix(key)), unit(mix(key+1<<63))
		z := math.Sqrt(-2*math.Log(u1)) * math.Cos(2*math.Pi*u2)
		us = min(math.Exp(math.Log(us)-w.Sigma*w.Sigma/2+w.Sigma*z), maxWaitUs)
	}
	return int64(us * 1e3)
}

// mix is the output function of SplitMix64 (Steele, Lea, Flood, 2014): a
// bijection whose outputs over consecutive keys pass as random.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit maps 53 random bits to [0, 1).
func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }
