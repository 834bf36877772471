package loadgen

import "sync"

// turn lets one connection at a time wait for the schedule: the one whose
// turn it is waits for the next intended time, hands the turn on and sends. So
// no dispatcher stands between the clock and the send, and one timer serves
// all. Of those that wait, the last to come goes first: connections that are
// not needed stay idle.
type turn struct {
	mu    sync.Mutex
	taken bool
	line  []chan struct{}
}

// acquire returns when it is the caller's turn. wake is the caller's own
// channel, with room for one.
func (t *turn) acquire(wake chan struct{}) {
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return
	}
	t.line = append(t.line, wake)
	t.mu.Unlock()
	<-wake
}

// release hands the turn on.
func (t *turn) release() {
	t.mu.Lock()
	if n := len(t.line); n > 0 {
		wake := t.line[n-1]
		t.line = t.line[:n-1]
		t.mu.Unlock()
		wake <- struct{}{}
		return
	}
	t.taken = false
	t.mu.Unlock()
}
