package logstoretest

import (
	"sync"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// Completions hands out completions and checks that each is told once.
type Completions struct {
	t   testing.TB
	mu  sync.Mutex
	new int
	got []error
	all sync.WaitGroup
}

// NewCompletions reports what is told twice to t.
func NewCompletions(t testing.TB) *Completions { return &Completions{t: t} }

// New is one completion.
func (c *Completions) New() logrow.Completion {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.new++
	c.all.Add(1)
	return &completion{of: c}
}

type completion struct {
	of    *Completions
	times int
}

func (d *completion) Stored(err error) {
	c := d.of
	c.mu.Lock()
	defer c.mu.Unlock()
	d.times++
	if d.times > 1 {
		c.t.Errorf("a completion was told %d times", d.times)
		return
	}
	c.got = append(c.got, err)
	c.all.Done()
}

// Wait returns what the completions were told, once all of them were.
func (c *Completions) Wait() []error {
	c.t.Helper()
	done := make(chan struct{})
	go func() { c.all.Wait(); close(done) }()
	deadline := time.NewTimer(waitLimit)
	defer deadline.Stop()
	select {
	case <-done:
	case <-deadline.C:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.t.Fatalf("%d of %d completions told within %v", len(c.got), c.new, waitLimit)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.got
}

// Told is how many completions were told so far.
func (c *Completions) Told() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.got)
}

// waitLimit ends a test that would hang.
const waitLimit = 60 * time.Second
