//go:build !linux

package mockupstream

import (
	"os"
	"sync"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// sleeper waits until an instant of contract.Now, as exactly as the runtime's
// timers can: on an idle process to the millisecond.
type sleeper struct {
	once sync.Once
	done chan struct{}
}

func newSleeper() (*sleeper, error) { return &sleeper{done: make(chan struct{})}, nil }

// until returns at the instant, or at once when it is over. It fails only
// when the sleeper is closed.
func (s *sleeper) until(at int64) error {
	for {
		left := at - contract.Now()
		if left <= 0 {
			return nil
		}
		t := time.NewTimer(time.Duration(left))
		select {
		case <-t.C:
		case <-s.done:
			t.Stop()
			return os.ErrClosed
		}
	}
}

func (s *sleeper) close() { s.once.Do(func() { close(s.done) }) }
