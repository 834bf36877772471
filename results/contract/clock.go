package contract

import (
	"sync"
	"time"
)

// Every stamp in the lab is CLOCK_MONOTONIC in int64 nanoseconds, so that
// stamps of two processes on one host can be subtracted. Go's own monotonic
// reading is the same clock behind an offset private to the process, so the
// offset is measured once and each later reading costs no system call.

var (
	clockOnce   sync.Once
	clockEpoch  time.Time
	clockOffset int64
	clockError  int64
)

func calibrate() {
	clockEpoch = time.Now()
	best := int64(1 << 62)
	// The narrowest of many brackets bounds the calibration's error.
	for range 64 {
		before := int64(time.Since(clockEpoch))
		abs, ok := monotonic()
		after := int64(time.Since(clockEpoch))
		if !ok {
			// No shared monotonic clock: stamps stay private to the process.
			clockOffset, clockError = 0, -1
			return
		}
		if width := after - before; width < best {
			best = width
			clockOffset = abs - (before + width/2)
			clockError = (width + 1) / 2
		}
	}
}

// Now is CLOCK_MONOTONIC in nanoseconds.
func Now() int64 {
	clockOnce.Do(calibrate)
	return clockOffset + int64(time.Since(clockEpoch))
}

// ClockError bounds, in nanoseconds, how far Now may be from CLOCK_MONOTONIC
// as other processes read it. -1 means that the system has no such clock and
// that stamps of different processes must not be joined.
func ClockError() int64 {
	clockOnce.Do(calibrate)
	return clockError
}
