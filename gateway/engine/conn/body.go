package conn

import (
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

// readBody reads the next piece of the request's body.
func (c *conn) readBody() {
	if c.body.Done() {
		c.wantBody = false
		if c.w > c.r {
			c.ahead.Store(true)
		}
		c.step(exchange.Event{Kind: exchange.EvRequestEnd})
		return
	}
	if c.lim.MaxBodyBytes > 0 && c.body.Left() > c.lim.MaxBodyBytes {
		c.refuseBody(413, "request body too large")
		return
	}
	if c.r < c.w {
		data, n, err := c.body.Decode(c.in[c.r:c.w])
		c.r += n
		c.takeBody(data, err)
		return
	}
	if !c.continued {
		c.continued = true
		c.out.frame(append(c.out.buf, wire.Continue...))
	}
	c.flush()
	if c.gone {
		return
	}
	c.watch.publish(phBody, c.bodyBy)
	c.r, c.w = 0, 0
	if left := c.body.Left(); left > 0 {
		space := c.x.BodySpace(int(min(left, maxBodySpace)))
		n, err := c.read(space)
		if err != nil {
			c.bodyEnds(err)
			return
		}
		data, _, _ := c.body.Decode(space[:n])
		c.takeBody(data, nil)
		return
	}
	if len(c.in) < chunkedInput {
		c.in = make([]byte, chunkedInput)
	}
	n, err := c.read(c.in)
	if err != nil {
		c.bodyEnds(err)
		return
	}
	c.w = n
}

// takeBody passes decoded body bytes on.
func (c *conn) takeBody(data []byte, err error) {
	c.bodyIn += int64(len(data))
	switch {
	case c.lim.MaxBodyBytes > 0 && c.bodyIn > c.lim.MaxBodyBytes:
		c.refuseBody(413, "request body too large")
	case err != nil:
		c.refuseBody(400, err.Error())
	case len(data) > 0:
		c.step(exchange.Event{Kind: exchange.EvRequestBody, Data: data})
	}
}

// bodyEnds is told that the body cannot be read on.
func (c *conn) bodyEnds(err error) {
	if err == errPushed(pushedOverdue) {
		c.refuseBody(408, "request body took too long")
		return
	}
	c.gone = true
}

// refuseBody gives the request up: the connection ends with the answer.
func (c *conn) refuseBody(status int, why string) {
	c.wantBody, c.lastly, c.linger = false, true, true
	c.step(exchange.Event{Kind: exchange.EvBadRequest, Status: status, Reason: why})
}
