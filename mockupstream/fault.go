package mockupstream

import (
	"fmt"
	"sync/atomic"
)

// FaultKind names a way to fail.
type FaultKind string

const (
	// FaultStatus answers with Status and an OpenAI error body.
	FaultStatus FaultKind = "status"
	// FaultReset resets the connection: before any byte when AfterFrames is
	// 0, else after so many content frames (after half the body when the
	// answer is not streamed).
	FaultReset FaultKind = "reset"
	// FaultShort closes in order but early: after AfterFrames content frames,
	// or after half the body.
	FaultShort FaultKind = "short"
	// FaultUnterminated sends a stream without its [DONE], in intact HTTP
	// framing.
	FaultUnterminated FaultKind = "unterminated"
	// FaultStall stops where FaultReset would and waits until the peer
	// leaves.
	FaultStall FaultKind = "stall"
)

// FaultOn says which requests a fault may hit.
type FaultOn string

const (
	OnAny    FaultOn = "any"
	OnPlain  FaultOn = "plain"
	OnStream FaultOn = "stream"
)

// Fault is one way to fail and how often. A fault counts every request that it
// may hit, whether or not another fault hits it; of several that fall on one
// request the first in the script wins.
type Fault struct {
	Kind FaultKind `json:"kind"`
	// On is "any" when empty. FaultUnterminated hits streams only.
	On FaultOn `json:"on"`
	// Every hits every Nth request; from 1. Either Every or Rate.
	Every int `json:"every,omitempty"`
	// Rate hits each request with this probability; above 0, at most 1.
	Rate float64 `json:"rate,omitempty"`
	// Status of FaultStatus, 400 to 599.
	Status int `json:"status,omitempty"`
	// RetryAfterS is the Retry-After header in seconds, with FaultStatus; 0
	// sends none.
	RetryAfterS int `json:"retry_after_s,omitempty"`
	// AfterFrames is how many content frames are sent first, at most Frames.
	AfterFrames int `json:"after_frames,omitempty"`
}

func (f *Fault) validate(frames int) error {
	switch f.Kind {
	case FaultStatus:
		if f.Status < 400 || f.Status > 599 {
			return fmt.Errorf("status is %d, want 400 to 599", f.Status)
		}
	case FaultReset, FaultShort, FaultUnterminated, FaultStall:
		if f.Status != 0 || f.RetryAfterS != 0 {
			return fmt.Errorf("status and retry_after_s are for kind %q", FaultStatus)
		}
	default:
		return fmt.Errorf("kind %q, want status, reset, short, unterminated or stall", f.Kind)
	}
	switch f.On {
	case OnAny, OnPlain, OnStream:
	default:
		return fmt.Errorf("on %q, want any, plain or stream", f.On)
	}
	if f.Kind == FaultUnterminated && f.On == OnPlain {
		return fmt.Errorf("kind %q hits streams only", f.Kind)
	}
	if f.RetryAfterS < 0 || f.RetryAfterS > 1<<30 {
		return fmt.Errorf("retry_after_s is %d, want 0 to %d", f.RetryAfterS, 1<<30)
	}
	if (f.Kind == FaultStatus || f.Kind == FaultUnterminated) && f.AfterFrames != 0 {
		return fmt.Errorf("after_frames is for kinds reset, short and stall")
	}
	if f.AfterFrames < 0 || f.AfterFrames > frames {
		return fmt.Errorf("after_frames is %d, want 0 to the %d frames", f.AfterFrames, frames)
	}
	if (f.Every == 0) == (f.Rate == 0) {
		return fmt.Errorf("want either every or rate")
	}
	if f.Every < 0 {
		return fmt.Errorf("every is %d, want 1 or more", f.Every)
	}
	if f.Rate != 0 && !(f.Rate > 0 && f.Rate <= 1) {
		return fmt.Errorf("rate is %g, want above 0 and at most 1", f.Rate)
	}
	return nil
}

// fault is a Fault at work.
type fault struct {
	Fault
	seen   atomic.Uint64 // requests that it might have hit
	answer [numModes]*message
}

// applies reports whether the fault may hit such a request.
func (f *fault) applies(streamed bool) bool {
	if streamed {
		return f.On != OnPlain
	}
	return f.On != OnStream && f.Kind != FaultUnterminated
}

// fires counts one request and reports whether the fault hits it.
func (f *fault) fires(seed uint64) bool {
	n := f.seen.Add(1)
	if f.Every > 0 {
		return n%uint64(f.Every) == 0
	}
	return unit(mix(mix(seed)+n)) < f.Rate
}

// drawFault is the fault that hits a request, nil for none.
func (cs *compiled) drawFault(streamed bool) (hit *fault) {
	for i := range cs.faults {
		f := &cs.faults[i]
		// Faults of one rate must not fall together, hence the index.
		if f.applies(streamed) && f.fires(cs.script.Seed^uint64(i+1)<<32) && hit == nil {
			hit = f
		}
	}
	return hit
}
