package conn

import (
	"context"
	"errors"
	"net"
	"os"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

// resend sends the request once more, on a new connection, after an idle one
// turned out to be dead. That is done in two cases only: the write failed
// before the system had accepted a byte, so that the upstream cannot have seen
// the request; or the method is GET, which may be repeated. A POST whose
// connection ends before the answer may have been carried out, and billed:
// it is never repeated here.
func (c *conn) resend() bool {
	a := &c.at
	c.e.retried.Add(1)
	c.up.Store(nil)
	a.pool.close(a.u)
	a.u, a.sent = nil, false
	return c.sendOn(true)
}

// send connects and sends the request. It reports whether the answer can be
// waited for; else an event was fed or the client is gone.
func (c *conn) send() bool { return c.sendOn(false) }

func (c *conn) sendOn(fresh bool) bool {
	a := &c.at
	c.flush()
	if c.gone && !c.told {
		return false
	}
	c.watch.publish(phWork, 0) // the dial keeps its own time
	if c.e.killed.Load() && !c.told {
		c.gone = true
		return false
	}
	a.pool = c.pools[a.want.Endpoint]
	u, reused, err := a.pool.get(c.e.coarse.Load(), a.want.ConnTimeoutNs, fresh)
	if err != nil {
		if c.e.killed.Load() && !c.told {
			c.gone = true
			return false
		}
		c.fault(dialFault(err), err)
		return false
	}
	a.u, a.reused = u, reused
	c.up.Store(u)
	if a.space == nil {
		a.space = c.e.buffers.Get().(*buffer)
		a.buf = a.space[:]
		a.resp.Reset()
	}
	c.begin(phSend, a.want.HeadTimeoutNs)
	sent, err := c.sendRequest()
	switch {
	case err == nil:
	case c.gone:
		return false
	case isDeadline(err):
		c.fault(exchange.FaultTimeoutHead, err)
		return false
	case sent == 0 && reused:
		return c.resend()
	case sent == 0:
		c.fault(exchange.FaultReset, err)
		return false
	default:
		// The upstream may have answered without reading all of the request.
		a.cut = true
	}
	a.sent = true
	a.headBy = c.tickAfter(a.want.HeadTimeoutNs)
	return true
}

func dialFault(err error) exchange.UpstreamFault {
	var ne net.Error
	switch {
	case errors.Is(err, errOverloaded):
		return exchange.FaultOverloaded
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &ne) && ne.Timeout():
		return exchange.FaultTimeoutConn
	}
	return exchange.FaultConnect
}

// sendRequest writes head and body: one plain write when both fit the buffer,
// else a vector over the parts where they lie. It returns the number of bytes
// that write(2) accepted.
func (c *conn) sendRequest() (sent int, err error) {
	a := &c.at
	w := a.want
	n := int64(-1)
	if w.Body != nil {
		n = int64(w.Len())
	}
	head := wire.AppendRequestHead(a.buf[:0], w.Method, w.Path, a.pool.ep.HostHead, w.Fields, n)
	a.vec = a.vec0[:0]
	if n <= 0 || len(head)+int(n) <= len(a.buf) {
		from := 0
		for _, s := range w.Splices {
			head = append(append(head, w.Body[from:s.At]...), s.Put...)
			from = s.At + s.Cut
		}
		a.vec = append(a.vec, append(head, w.Body[from:]...))
	} else {
		a.vec = append(a.vec, head)
		from := 0
		for _, s := range w.Splices {
			if s.At > from {
				a.vec = append(a.vec, w.Body[from:s.At])
			}
			if len(s.Put) > 0 {
				a.vec = append(a.vec, s.Put)
			}
			from = s.At + s.Cut
		}
		if from < len(w.Body) {
			a.vec = append(a.vec, w.Body[from:])
		}
	}
	a.vec0 = a.vec
	for {
		n, err := c.writeUpstream()
		sent += n
		if err == nil || !isDeadline(err) {
			return sent, err
		}
		switch r := c.pushed(a.u); {
		case r == pushedKilled || r == pushedLeft:
			c.gone = true
			return sent, err
		case r == pushedOverdue && n == 0:
			return sent, err
		case r == pushedOverdue:
			c.begin(phSend, w.HeadTimeoutNs) // it moves, if slowly
		}
	}
}

// writeUpstream writes what is left of the vector.
func (c *conn) writeUpstream() (int, error) {
	a := &c.at
	if len(a.vec) > 1 {
		n, err := a.vec.WriteTo(a.u.nc)
		return int(n), err
	}
	n, err := a.u.nc.Write(a.vec[0])
	a.vec[0] = a.vec[0][n:]
	return n, err
}
