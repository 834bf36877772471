package epoll

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// step gives the loop's event to the exchange, does what it asks for, and goes
// on with what comes of that at once.
func (c *client) step() {
	l := c.l
	for c.x != nil {
		l.ev.Delivered = c.delivered
		c.x.Step(l.now, &l.ev, &l.acts)
		if !c.perform() {
			return
		}
	}
}

// perform does the actions. It reports whether l.ev holds a further event.
func (c *client) perform() (more bool) {
	l := c.l
	for i := range l.acts.List {
		a := &l.acts.List[i]
		switch a.Kind {
		case exchange.ActRespond:
			c.respond(a)
		case exchange.ActWrite:
			c.write(a.Data)
		case exchange.ActFinish:
			c.finish()
		case exchange.ActAbort:
			c.aborted = true
		case exchange.ActReadBody:
			if c.expect && !c.body.Done() {
				c.gather("HTTP/1.1 100 Continue\r\n\r\n")
			}
			c.expect = false
			c.phase, c.since = phaseBody, l.now
		case exchange.ActOpenUpstream:
			if f := c.open(a); f != exchange.FaultNone {
				l.ev = exchange.Event{Kind: exchange.EvUpstreamError, Fault: f, Attempt: a.Attempt}
				more = true
			}
		case exchange.ActCancelUpstream:
			if c.up != nil && c.up.attempt == a.Attempt {
				c.up.end()
			}
		case exchange.ActSetTimer:
			c.timer = a.Deadline
		case exchange.ActAppendRow:
			c.awaiting = l.e.o.Rows.Append(a.Row, c)
		case exchange.ActDone:
			c.core.Release(c.x)
			c.x = nil
			c.phase = max(c.phase, phaseBusy) // also when the body was not read whole
			if c.up != nil {
				c.up.end()
			}
			return false
		}
	}
	if c.phase == phaseBody && c.body.Done() {
		c.phase, c.since = phaseBusy, l.now
		l.ev = exchange.Event{Kind: exchange.EvRequestEnd}
		return true
	}
	if c.broken && !more {
		return c.tellCancelled()
	}
	return more
}

// tellCancelled prepares EvCancelled, once.
func (c *client) tellCancelled() bool {
	if c.x == nil || c.cancelled {
		return false
	}
	c.cancelled = true
	c.l.ev = exchange.Event{Kind: exchange.EvCancelled}
	return true
}

// cancel ends the connection: the client is gone, or given up.
func (c *client) cancel() {
	switch {
	case c.phase == phaseClosed:
		return
	case c.x == nil:
		c.close()
		return
	}
	c.broken = true
	c.keep = false
	c.dropPending()
	if c.tellCancelled() {
		c.step()
	}
	c.after()
}

// Stored implements logrow.Completion, on any goroutine.
func (c *client) Stored(err error) { c.l.post(message{kind: msgStored, c: c, err: err}) }

func (c *client) stored(err error) {
	c.awaiting = false
	c.l.ev = exchange.Event{Kind: exchange.EvStored, Err: err}
	c.step()
	c.after()
}

// after ends an event's work: what was gathered is sent, and when the exchange
// is done the connection goes on to the next request or ends.
func (c *client) after() {
	for {
		c.flush()
		if c.phase == phaseClosed || c.phase == phaseLinger {
			return
		}
		if c.x != nil {
			// The end of a client's sending side may come with its request, and is
			// told only once: whoever waits for an answer then waits for nobody.
			left := c.shut && c.phase == phaseBusy
			if (c.broken || left) && c.tellCancelled() {
				c.broken = true
				c.dropPending()
				c.step()
				continue
			}
			return
		}
		if c.phase < phaseBusy {
			if c.broken || c.shut {
				c.close()
			}
			return
		}
		if !c.next() {
			return
		}
	}
}

// next follows an exchange that is done. It reports whether more has been done
// that needs sending.
func (c *client) next() bool {
	l := c.l
	switch {
	case c.broken:
		c.close()
		return false
	case c.owed > 0 || len(c.pend) > 0:
		return false // settle or flushPending come back here
	case c.aborted:
		c.reset()
		return false
	case !c.keep || l.draining:
		if c.shut || c.body.Done() && !c.readable && len(c.hold) == 0 {
			c.close()
			return false
		}
		// Closing with unread bytes would reset the connection and could take
		// the answer with it.
		_ = unix.Shutdown(int(c.fd), unix.SHUT_WR)
		c.phase, c.since, c.discarded = phaseLinger, l.now, 0
		c.hold = c.hold[:0]
		c.readable = true
		c.read()
		return false
	}
	c.phase, c.since = phaseIdle, l.now
	if !c.body.Done() {
		c.phase = phaseDrain
	}
	if len(c.hold) > 0 {
		kept := copy(l.rbuf, c.hold)
		c.hold = c.hold[:0]
		c.consume(l.rbuf[:kept], 0)
	}
	c.read()
	if c.phase == phaseIdle && c.shut {
		c.close()
		return false
	}
	return c.phase != phaseIdle && c.phase != phaseClosed && (c.x == nil || len(l.out) > l.outAt)
}

// close ends the connection in order.
func (c *client) close() {
	if c.phase == phaseClosed {
		return
	}
	l := c.l
	c.phase = phaseClosed
	if c.up != nil {
		c.up.end()
	}
	l.forget()
	c.dropPending()
	l.unwatch(c.fd)
	last := l.clients[len(l.clients)-1]
	l.clients[c.index] = last
	last.index = c.index
	l.clients = l.clients[:len(l.clients)-1]
	if cap(c.hold) > 4<<10 {
		c.hold = nil
	}
	l.free = append(l.free, c)
	l.e.stats.clients.Add(-1)
}

// reset ends the connection so that the client sees that the answer is not
// whole, however it was framed.
func (c *client) reset() {
	_ = unix.SetsockoptLinger(int(c.fd), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	c.close()
}

// rescue turns a panic in an event's work into the end of the client.
func (l *loop) rescue(c *client) {
	v := recover()
	if v == nil {
		return
	}
	l.e.stats.panics.Add(1)
	l.e.o.Logger.Error("panic while serving a client", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
	if c == nil {
		return
	}
	c.cancel()
	if c.x != nil && !c.awaiting {
		// The panic took the exchange's last actions with it.
		c.core.Release(c.x)
		c.x = nil
		c.after()
	}
}
