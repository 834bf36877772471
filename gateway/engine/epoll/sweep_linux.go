package epoll

import "github.com/tollgate-lab/tollgate/gateway/exchange"

// sweep looks at every connection's time limits. A limit is met up to one
// sweep late; in exchange no request pays for a timer.
func (l *loop) sweep() {
	l.nextSweep = l.now + sweepEvery
	l.resume()
	for i := len(l.clients) - 1; i >= 0; i-- {
		if i < len(l.clients) { // one that ended may have taken others along
			l.clients[i].overdue()
		}
	}
	for _, p := range l.pools {
		for len(p.idle) > 0 && l.now-p.idle[0].since > idleMaxNs {
			p.idle[0].end()
		}
	}
}

func past(now, since, limit int64) bool { return limit > 0 && now-since > limit }

// overdue ends what has taken too long.
func (c *client) overdue() {
	l := c.l
	lim := l.e.o.Core().Limits()
	switch c.phase {
	case phaseIdle:
		if past(l.now, c.since, lim.IdleTimeoutNs) {
			c.close()
		}
		return
	case phaseHead:
		if past(l.now, c.since, lim.HeadTimeoutNs) {
			c.refuseWith(408, "the request head did not arrive in time")
			c.after()
		}
		return
	case phaseBody:
		if past(l.now, c.since, lim.BodyTimeoutNs) {
			c.refuseWith(408, "the request body did not arrive in time")
			c.after()
			return
		}
	case phaseDrain:
		if past(l.now, c.since, lim.BodyTimeoutNs) {
			c.close()
		}
		return
	case phaseLinger:
		if past(l.now, c.since, lingerNs) {
			c.close()
		}
		return
	case phaseClosed:
		return
	}
	if len(c.pend) > 0 && past(l.now, c.pendSince, lim.WriteTimeoutNs) {
		c.cancel()
		return
	}
	if c.timer > 0 && l.now >= c.timer {
		c.timer = 0
		l.ev = exchange.Event{Kind: exchange.EvTimer}
		c.step()
		c.after()
		return
	}
	if c.up != nil {
		c.up.overdue()
	}
}

func (u *upstream) overdue() {
	c, l := u.c, u.l
	f := exchange.FaultNone
	switch u.phase {
	case upConnecting:
		if past(l.now, u.since, u.req.ConnTimeoutNs) {
			f = exchange.FaultTimeoutConn
		}
	case upSending, upHead:
		if past(l.now, u.since, u.req.HeadTimeoutNs) {
			f = exchange.FaultTimeoutHead
		}
	case upBody:
		// A client that does not read is the reason for a pause, not the upstream.
		if !c.clogged() && past(l.now, u.since, u.req.BodyTimeoutNs) {
			f = exchange.FaultTimeoutBody
		}
	}
	if f != exchange.FaultNone {
		u.end()
		u.tell(c, f)
		c.after()
	}
}
