package conn

import "time"

const (
	// sweepEvery is the tick. Limits are enforced up to two ticks late and
	// never early; a client that leaves while its upstream thinks is noticed
	// within two ticks.
	sweepEvery = 100 * time.Millisecond
	// idleUpstreamNs is how long an upstream connection is kept unused.
	idleUpstreamNs = int64(90 * time.Second)
)

// sweep ends with the engine.
func (e *Engine) sweep() {
	t := time.NewTicker(sweepEvery)
	defer t.Stop()
	p := newProber()
	for n := 1; ; n++ {
		select {
		case <-e.ctx.Done():
			return
		case <-t.C:
		}
		now := e.o.Now()
		e.tick(now)
		e.mu.Lock()
		for _, c := range e.conns {
			c.visit(now, p)
		}
		e.mu.Unlock()
		if n%10 == 0 {
			e.reap(now)
		}
	}
}

// dateLayout is the Date field's, of a time in UTC (RFC 9110, 5.6.7).
const dateLayout = "Mon, 02 Jan 2006 15:04:05 GMT"

// tick renews what need not be exact.
func (e *Engine) tick(now int64) {
	const second = int64(time.Second)
	old := e.coarse.Swap(now)
	if old/second != now/second || e.date.Load() == nil {
		d := time.Unix(0, now).UTC().AppendFormat(nil, dateLayout)
		e.date.Store(&d)
	}
}

// ticks counts from the engine's start: 40 bits of them last 34 years.
func (e *Engine) ticks(now int64) uint64 { return uint64((now-e.base)/tickNs) + 1 }

func (e *Engine) reap(now int64) {
	e.mu.Lock()
	pools := make([]*pool, 0, len(e.pools))
	for _, p := range e.pools {
		pools = append(pools, p)
	}
	e.mu.Unlock()
	for _, p := range pools {
		p.closeIdle(now - idleUpstreamNs)
	}
}

// visit is the sweeper looking at one connection.
func (c *conn) visit(now int64, p *prober) {
	state := c.watch.state.Load()
	again := state == c.watch.seen
	c.watch.seen = state
	ph := phaseOf(state)
	if at := overdueAt(state); at > 0 && c.e.ticks(now) > at {
		c.push(state, pushedOverdue)
		return
	}
	if t := c.watch.timer.Load(); t > 0 && now >= t && ph.onUpstream() {
		c.push(state, pushedTimer)
		return
	}
	if again && ph.whileClientWaits() && c.clientLeft(p) {
		c.push(state, pushedLeft)
	}
}

// push ends the system call that the goroutine was in when it published state.
func (c *conn) push(state uint64, r reason) {
	c.watch.judge(state, r)
	switch ph := phaseOf(state); {
	case ph.onUpstream():
		if u := c.up.Load(); u != nil {
			u.nc.SetDeadline(past)
		}
	case ph == phWrite:
		c.nc.SetWriteDeadline(past)
	case ph == phTimer:
		c.poke()
	default:
		c.nc.SetReadDeadline(past)
	}
}

// pushIdle ends the wait for a next request, when the engine shuts down.
func (c *conn) pushIdle() {
	if state := c.watch.state.Load(); phaseOf(state) == phIdle {
		c.push(state, pushedDrain)
	}
}

// pushAll ends whatever the goroutine waits for, when the engine is killed.
func (c *conn) pushAll() {
	c.nc.SetDeadline(past)
	if u := c.up.Load(); u != nil {
		u.nc.SetDeadline(past)
	}
	c.poke()
}

func (c *conn) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}
