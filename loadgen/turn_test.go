package loadgen

import (
	"sync"
	"testing"
	"testing/synctest"
)

func TestTurnIsOneAtATime(t *testing.T) {
	var turn turn
	var all sync.WaitGroup
	count := 0 // guarded by turn; the race detector watches
	for range 8 {
		all.Go(func() {
			wake := make(chan struct{}, 1)
			for range 200 {
				turn.acquire(wake)
				count++
				turn.release()
			}
		})
	}
	all.Wait()
	if count != 1600 {
		t.Errorf("counted %d, want 1600", count)
	}
}

func TestTurnGoesToTheLastThatCame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turn turn
		turn.acquire(nil)
		order := make(chan int, 3)
		for i := range 3 {
			go func() {
				turn.acquire(make(chan struct{}, 1))
				order <- i
				turn.release()
			}()
			synctest.Wait() // i waits in line
		}
		turn.release()
		for want := 2; want >= 0; want-- {
			if got := <-order; got != want {
				t.Errorf("turn went to %d, want %d", got, want)
			}
		}
	})
}
