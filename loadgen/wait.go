package loadgen

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// A waiter waits for stamps of contract.Now. One goroutine at a time calls
// until.
type waiter interface {
	// until returns true at t or as soon after it as the system allows, and
	// false once stopped.
	until(t int64) bool
	stop()  // makes until return false; may be called at any time, twice too
	close() // gives up what the waiter holds; nobody may be in until
}

// yieldWaiter works everywhere. The runtime's timers wake an idle process up
// to a millisecond late where the system's poller counts milliseconds, so it
// sleeps to a margin before the time and yields the processor in a loop over
// the rest. The margin costs CPU time; only one goroutine waits, so at most
// one core's. On Linux a timerfd does without (wait_linux.go).
type yieldWaiter struct{ stopped atomic.Bool }

const (
	yieldMargin = 2 * time.Millisecond
	// A sleep is cut into pieces so that stop need not interrupt it.
	longestSleep = 50 * time.Millisecond
)

func (w *yieldWaiter) until(t int64) bool {
	for !w.stopped.Load() {
		left := time.Duration(t - contract.Now())
		switch {
		case left <= 0:
			return true
		case left > yieldMargin:
			time.Sleep(min(left-yieldMargin, longestSleep))
		default:
			runtime.Gosched()
		}
	}
	return false
}

func (w *yieldWaiter) stop()  { w.stopped.Store(true) }
func (w *yieldWaiter) close() {}
