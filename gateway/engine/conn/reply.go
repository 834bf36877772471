package conn

import (
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

// respond writes the response's head, and settles how its body is framed and
// what becomes of the connection.
func (c *conn) respond(a *exchange.Action) {
	if c.gone {
		return
	}
	l := wire.ResponseLine{Status: a.Status, Length: a.ContentLength, Date: *c.e.date.Load()}
	bodiless := a.Status == 204 || a.Status == 304
	c.noBody = c.head || bodiless
	switch {
	case bodiless:
		l.Body = wire.BodyNone
	case a.ContentLength >= 0:
		l.Body = wire.BodyLength
	case c.head:
		l.Body = wire.BodyNone
	case c.minor == 1:
		l.Body = wire.BodyChunked
	default:
		l.Body = wire.BodyClose
		c.lastly = true
	}
	if !c.body.Done() && !c.drainable() {
		c.lastly, c.linger = true, true
	}
	if c.e.draining.Load() {
		c.lastly = true
	}
	switch {
	case c.lastly:
		l.Connection = wire.ConnectionClose
	case c.minor == 0:
		l.Connection = wire.ConnectionKeepAlive
	}
	c.framing, c.responded = l.Body, true
	c.out.frame(wire.AppendResponseHead(c.out.buf, &l, a.Fields))
}

// drainable reports whether the unread rest of the body is short enough to be
// read for the sake of the connection.
func (c *conn) drainable() bool {
	left := c.body.Left()
	return c.continued && left >= 0 && left-int64(c.w-c.r) <= drainBytes
}

// write adds body bytes to the output.
func (c *conn) write(data []byte) {
	if c.gone || c.noBody {
		return
	}
	const framing = 32 // bytes of a chunk's head and end, at most
	if len(data) < copyBelow && len(c.out.buf)+len(data)+framing > cap(c.out.buf) {
		c.flush()
	}
	c.out.data(data, c.framing == wire.BodyChunked)
}

func (c *conn) finish() {
	if !c.gone && !c.noBody && c.framing == wire.BodyChunked {
		c.out.frame(append(c.out.buf, wire.LastChunk...))
	}
}

// flush writes the output. A write that fails, or makes no progress for
// Limits.WriteTimeoutNs, means that the client is gone.
func (c *conn) flush() {
	o := &c.out
	if o.empty() {
		return
	}
	if c.gone {
		o.written(0)
		return
	}
	vectored := o.referring()
	if vectored {
		o.vector()
	}
	total := 0
	for total < o.size {
		c.begin(phWrite, c.lim.WriteTimeoutNs)
		var n int
		var err error
		if vectored {
			var n64 int64
			n64, err = o.vec.WriteTo(c.nc)
			n = int(n64)
		} else {
			n, err = c.nc.Write(o.buf[total:])
		}
		total += n
		if err == nil {
			continue
		}
		if !isDeadline(err) || c.e.killed.Load() || n == 0 && c.watch.verdictFor() != pushedNot {
			c.gone = true
			break
		}
		c.nc.SetWriteDeadline(time.Time{})
	}
	o.written(total)
}
