package conn

import (
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// step feeds one event and performs what the exchange wants.
func (c *conn) step(ev exchange.Event) {
	c.ev = ev
	c.ev.Delivered = c.out.wrote
	c.x.Step(c.e.o.Now(), &c.ev, &c.acts)
	c.perform()
}

// drive feeds events until the exchange is done. Each turn waits for one
// thing; what the client is owed leaves before that.
func (c *conn) drive() {
	for !c.done {
		if t := c.watch.timer.Load(); t > 0 && c.e.o.Now() >= t {
			c.watch.timer.Store(0)
			c.step(exchange.Event{Kind: exchange.EvTimer})
			continue
		}
		switch {
		case c.gone && !c.told:
			c.told = true
			c.step(exchange.Event{Kind: exchange.EvCancelled})
		case c.awaiting:
			c.flush()
			c.watch.publish(phWork, 0)
			err := <-c.stored
			c.awaiting = false
			c.step(exchange.Event{Kind: exchange.EvStored, Err: err})
		case c.wantBody && !c.gone:
			c.readBody()
		case c.at.want != nil:
			c.advance()
		case c.watch.timer.Load() > 0:
			c.waitTimer()
		case !c.gone:
			c.e.o.Logger.Error("exchange waits for nothing: cancelled", "remote", c.remote)
			c.gone, c.abort = true, true
		default:
			c.e.o.Logger.Error("exchange does not end after its cancel: released", "remote", c.remote)
			return
		}
	}
}

// perform does the actions of one step, in order.
func (c *conn) perform() {
	for i := range c.acts.List {
		a := &c.acts.List[i]
		switch a.Kind {
		case exchange.ActRespond:
			c.respond(a)
		case exchange.ActWrite:
			c.write(a.Data)
		case exchange.ActFinish:
			c.finish()
		case exchange.ActAbort:
			c.abort = true
		case exchange.ActReadBody:
			c.wantBody = true
		case exchange.ActOpenUpstream:
			c.at.end(c, false)
			c.at.want, c.at.n = a.Upstream, a.Attempt
		case exchange.ActCancelUpstream:
			c.at.end(c, false)
		case exchange.ActSetTimer:
			c.watch.timer.Store(a.Deadline)
		case exchange.ActAppendRow:
			c.appendRow(a)
		case exchange.ActDone:
			c.done = true
		}
	}
	if c.out.referring() {
		c.flush() // the data is the exchange's until the next step only
	}
}

func (c *conn) appendRow(a *exchange.Action) {
	switch waits := c.e.o.Rows.Append(a.Row, c); {
	case waits:
		c.awaiting = true
	case a.Await:
		c.Stored(nil) // the store promises nothing: answered at once
		c.awaiting = true
	}
}

// waitTimer waits for nothing but the exchange's timer.
func (c *conn) waitTimer() {
	c.flush()
	c.watch.publish(phTimer, 0)
	if c.e.killed.Load() {
		c.gone = true
	}
	if c.gone {
		return
	}
	t := time.NewTimer(time.Duration(c.watch.timer.Load() - c.e.o.Now()))
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.wake:
		if c.e.killed.Load() || c.watch.verdictFor() == pushedLeft {
			c.gone = true
		}
	}
}
