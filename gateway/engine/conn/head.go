package conn

import (
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

// readHead waits for a request and reads its head. ok is false when there is
// none: the connection ends. bad is set when it cannot be served.
func (c *conn) readHead() (n int, bad *wire.Error, ok bool) {
	if c.r == c.w {
		c.r, c.w = 0, 0
		if len(c.in) > keepInput {
			c.in = make([]byte, inputSize)
		}
		c.begin(phIdle, c.lim.IdleTimeoutNs)
		if c.e.draining.Load() {
			return 0, nil, false
		}
		k, err := c.read(c.in)
		if err != nil {
			return 0, nil, false
		}
		c.w = k
	}
	lim := wire.Limits{Bytes: c.lim.MaxHeadBytes, Fields: c.lim.MaxHeadFields}
	if lim.Bytes == 0 {
		lim.Bytes = defaultHead
	}
	c.req.Reset()
	for started := false; ; {
		n, err := c.req.Parse(c.in[c.r:c.w], lim)
		if err != nil {
			return 0, asWire(err), true
		}
		if n > 0 {
			return n, nil, true
		}
		if !started {
			c.begin(phHead, c.lim.HeadTimeoutNs)
			started = true
		}
		c.room()
		k, err := c.read(c.in[c.w:])
		if err != nil {
			if err == errPushed(pushedOverdue) {
				return 0, &wire.Error{Status: 408, Reason: timeoutMessage}, true
			}
			return 0, nil, false
		}
		c.w += k
	}
}

// asWire is the codec's error as it is. Unlike errors.As it lets nothing escape.
func asWire(err error) *wire.Error {
	if we, ok := err.(*wire.Error); ok {
		return we
	}
	return &wire.Error{Status: 400, Reason: err.Error()}
}

// room makes space behind in[w].
func (c *conn) room() {
	if c.w < len(c.in) {
		return
	}
	if c.r > 0 {
		c.w = copy(c.in, c.in[c.r:c.w])
		c.r = 0
		return
	}
	grown := make([]byte, 2*len(c.in))
	copy(grown, c.in[:c.w])
	c.in = grown
}
