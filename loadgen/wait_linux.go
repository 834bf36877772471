package loadgen

import (
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// timerWaiter waits on a timerfd through the runtime's poller: the kernel's
// high-resolution timer makes the descriptor readable, which wakes the poller
// at once, whereas the runtime's own timers end in a poll time-out of whole
// milliseconds. Nothing spins, so an idle schedule costs nothing. Contract
// stamps are CLOCK_MONOTONIC, so the timer is set to them as they are.
type timerWaiter struct {
	fd      int // File.Fd would make it blocking
	file    *os.File
	stopped atomic.Bool
	buf     [8]byte
}

// shortest is a wait not worth the timer's four system calls, in nanoseconds.
const shortest = 3000

// newWaiter falls back on yielding where a sandbox forbids timer descriptors.
func newWaiter() waiter {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return new(yieldWaiter)
	}
	return &timerWaiter{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}
}

func (w *timerWaiter) until(t int64) bool {
	for !w.stopped.Load() {
		left := t - contract.Now()
		if left <= 0 {
			return true
		}
		if left < shortest {
			continue
		}
		spec := unix.ItimerSpec{Value: unix.NsecToTimespec(t)}
		if err := unix.TimerfdSettime(w.fd, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
			time.Sleep(min(time.Duration(left), time.Millisecond))
			continue
		}
		if _, err := w.file.Read(w.buf[:]); err != nil && !w.stopped.Load() {
			time.Sleep(min(time.Duration(left), time.Millisecond))
		}
	}
	return false
}

func (w *timerWaiter) stop() {
	w.stopped.Store(true)
	// The only error is that of a closed file, where nobody waits.
	_ = w.file.SetReadDeadline(longAgo)
}

func (w *timerWaiter) close() { _ = w.file.Close() }
