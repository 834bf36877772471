package mockupstream

import (
	"fmt"
	"os"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// sleeper waits until an instant of CLOCK_MONOTONIC. The runtime's own timers
// wait in whole milliseconds while the process is idle; a timerfd in the
// network poller is as exact as the kernel's timers and holds no thread.
type sleeper struct {
	mu     sync.Mutex // orders arming against close: the number may be reused
	closed bool
	fd     int
	file   *os.File
	buf    [8]byte
}

func newSleeper() (*sleeper, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("create timerfd: %w", err)
	}
	return &sleeper{fd: fd, file: os.NewFile(uintptr(fd), "timerfd")}, nil
}

// until returns at the instant, or at once when it is over. It fails only
// when the sleeper is closed.
func (s *sleeper) until(at int64) error {
	if at <= 0 {
		return nil
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return os.ErrClosed
	}
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(at)}
	err := unix.TimerfdSettime(s.fd, unix.TFD_TIMER_ABSTIME, &spec, nil)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("arm timerfd: %w", err)
	}
	if _, err := s.file.Read(s.buf[:]); err != nil {
		return fmt.Errorf("wait for timerfd: %w", err)
	}
	// contract.Now may be behind the kernel's clock by its calibration error,
	// a few hundred nanoseconds; no stamp shall say that a wait was cut short.
	for contract.Now() < at {
		runtime.Gosched()
	}
	return nil
}

func (s *sleeper) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	_ = s.file.Close() // wakes a reader
}
