package loadgen

import (
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

func eachWaiter(t *testing.T, test func(t *testing.T, w waiter)) {
	for name, newOne := range map[string]func() waiter{
		"system": newWaiter,
		"yield":  func() waiter { return new(yieldWaiter) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newOne()
			defer w.close()
			test(t, w)
		})
	}
}

func TestWaitersAreNeverEarly(t *testing.T) {
	eachWaiter(t, func(t *testing.T, w waiter) {
		for _, d := range []time.Duration{-time.Second, 0, 1, time.Microsecond, 100 * time.Microsecond, 3 * time.Millisecond} {
			due := contract.Now() + int64(d)
			if !w.until(due) {
				t.Fatalf("stopped while nobody stopped it")
			}
			if early := due - contract.Now(); early > 0 {
				t.Errorf("%v ahead: woke %d ns early", d, early)
			}
		}
	})
}

func TestStoppedWaitersReturn(t *testing.T) {
	eachWaiter(t, func(t *testing.T, w waiter) {
		returned := make(chan bool)
		go func() { returned <- w.until(contract.Now() + int64(time.Hour)) }()
		w.stop()
		if <-returned {
			t.Error("an hour passed")
		}
		w.stop()
		if w.until(0) {
			t.Error("a stopped waiter waits")
		}
	})
}
