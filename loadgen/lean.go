package loadgen

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// The lean client: a goroutine per connection on a raw socket. Beside the
// write and the reads, a request costs it no system call: the time-out is a
// sweeper's that looks at all connections now and then, instead of a deadline
// set for each request.

// lean runs the job on raw sockets.
func (r *run) lean() error {
	// Resolved once, so that a name costs nothing later and every connection
	// goes to the same place.
	addr, err := net.ResolveTCPAddr("tcp", r.req.hostport)
	if err != nil {
		return r.fatal("resolve", err)
	}
	conns := make([]*leanConn, r.job.Conc)
	for i := range conns {
		conns[i] = newLeanConn(r, r.shards[i%len(r.shards)], addr.String())
	}
	unhook := context.AfterFunc(r.ctx, func() { r.stopLean(conns) })
	defer unhook()
	swept := make(chan struct{})
	var side, ready, all sync.WaitGroup
	side.Go(func() { r.sweep(conns, swept) })

	// All connections are opened before the first request, so that opening
	// them is no part of what is measured.
	start := make(chan struct{})
	ready.Add(len(conns))
	for _, c := range conns {
		all.Go(func() {
			_ = c.dial() // a failure shows again at the first request, and counts there
			ready.Done()
			<-start
			if r.openLoop() {
				c.followSchedule()
			} else {
				c.saturate()
			}
			c.hangUp()
		})
	}
	ready.Wait()
	r.base = contract.Now() + int64(openLoopLead)
	close(start)
	all.Wait()
	close(swept)
	side.Wait()
	return nil
}

// openLoopLead is the time between the start and the schedule's zero.
const openLoopLead = 5 * time.Millisecond

// saturate keeps one request in flight all the time.
func (c *leanConn) saturate() {
	for {
		seq, ok := c.run.draw(c.sample.end)
		if !ok {
			return
		}
		c.exchange(seq, 0)
	}
}

// followSchedule sends what the schedule wants, when this connection is free.
func (c *leanConn) followSchedule() {
	r := c.run
	for {
		r.turn.acquire(c.wake)
		seq, intended, ok := r.drawDue()
		r.turn.release()
		switch {
		case !ok:
			return
		case r.tooLate(intended):
			r.unsent(seq, intended, fmt.Sprintf("no connection was free within %v", r.job.Timeout))
		default:
			c.exchange(seq, intended)
		}
	}
}

// stopLean ends the run early: nothing more is sent, and whatever waits on a
// connection or on the schedule stops waiting.
func (r *run) stopLean(conns []*leanConn) {
	r.stopped.Store(true)
	if r.wait != nil {
		r.wait.stop()
	}
	for _, c := range conns {
		c.mu.Lock()
		if c.conn != nil {
			_ = c.conn.SetDeadline(longAgo) // fails only when it is closed already
		}
		c.mu.Unlock()
	}
}

// sweep ends requests that take longer than Timeout, until done is closed. A
// late request is noticed within an eighth of Timeout, or a quarter second.
func (r *run) sweep(conns []*leanConn, done <-chan struct{}) {
	limit := int64(r.job.Timeout)
	tick := time.NewTicker(min(max(r.job.Timeout/8, time.Millisecond), 250*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
		}
		now := contract.Now()
		for _, c := range conns {
			since := c.since.Load()
			if since > 0 && now-since > limit && c.since.CompareAndSwap(since, swept) {
				c.mu.Lock()
				if c.conn != nil {
					_ = c.conn.SetDeadline(longAgo)
				}
				c.mu.Unlock()
			}
		}
	}
}
