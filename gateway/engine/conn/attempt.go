package conn

import (
	"errors"
	"net"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

// maxInterim is the number of 1xx heads that an upstream may send first.
const maxInterim = 8

// attempt is one request to an upstream. want is nil when there is none.
type attempt struct {
	want *exchange.Upstream
	n    int // its number
	u    *upConn
	pool *pool

	reused   bool // u had served another request before
	sent     bool
	cut      bool // sending failed after the upstream had taken some of it
	headSeen bool
	interim  int
	headBy   uint64 // tick at which the head is overdue

	resp  wire.Response
	body  wire.Body
	space *buffer
	buf   []byte // space, or a longer one for a long head
	r, w  int    // buf[r:w] is read and not used
	vec   net.Buffers
	vec0  net.Buffers
}

// end gives the attempt up, or, when whole, its connection back.
func (a *attempt) end(c *conn, whole bool) {
	if a.u != nil {
		c.up.Store(nil)
		if whole {
			a.pool.put(a.u, c.e.coarse.Load())
		} else {
			a.pool.close(a.u)
		}
	}
	if a.space != nil {
		c.e.buffers.Put(a.space)
	}
	clear(a.vec0)
	a.want, a.u, a.pool, a.space, a.buf = nil, nil, nil, nil, nil
	a.reused, a.sent, a.cut, a.headSeen = false, false, false, false
	a.r, a.w, a.interim = 0, 0, 0
}

// fault ends the attempt early.
func (c *conn) fault(f exchange.UpstreamFault, err error) {
	n := c.at.n
	c.at.end(c, false)
	c.step(exchange.Event{Kind: exchange.EvUpstreamError, Fault: f, Attempt: n, Err: err})
}

// advance takes the attempt to its next event.
func (c *conn) advance() {
	a := &c.at
	if !a.sent && !c.send() {
		return
	}
	for {
		switch {
		case !a.headSeen:
			ok, more := c.answerHead()
			if !more {
				return
			}
			if ok {
				continue
			}
		case a.body.Done():
			n := a.n
			a.end(c, a.resp.KeepAlive && !a.cut && a.r == a.w)
			c.step(exchange.Event{Kind: exchange.EvUpstreamEnd, Attempt: n})
			return
		case a.r < a.w:
			data, n, err := a.body.Decode(a.buf[a.r:a.w])
			a.r += n
			if len(data) > 0 {
				if err != nil {
					a.resp.KeepAlive = false
				}
				c.step(exchange.Event{Kind: exchange.EvUpstreamBody, Attempt: a.n, Data: data})
				if err != nil && c.at.want != nil {
					c.fault(exchange.FaultMidBody, err)
				}
				return
			}
			if err != nil {
				c.fault(exchange.FaultMidBody, err)
				return
			}
			continue
		}
		if !c.fill() {
			return
		}
	}
}

// answerHead looks for a head in what has been read. more is false after an
// event; ok asks to look again.
func (c *conn) answerHead() (ok, more bool) {
	a := &c.at
	if a.r == a.w {
		return false, true
	}
	lim := wire.Limits{Bytes: c.lim.MaxUpstreamHead}
	if lim.Bytes == 0 {
		lim.Bytes = defaultHead
	}
	n, err := a.resp.Parse(a.buf[a.r:a.w], lim, a.want.Method == "HEAD")
	switch {
	case err != nil && asWire(err).TooLarge():
		c.fault(exchange.FaultHeadTooLarge, err)
		return false, false
	case err != nil:
		c.fault(exchange.FaultMalformed, err)
		return false, false
	case n == 0:
		return false, true
	}
	a.r += n
	if a.resp.Interim() {
		if a.interim++; a.resp.Status == 101 || a.interim > maxInterim {
			c.fault(exchange.FaultMalformed, errInterim)
			return false, false
		}
		return true, true
	}
	a.headSeen = true
	a.body.Reset(a.resp.Body, a.resp.ContentLength)
	c.step(exchange.Event{Kind: exchange.EvUpstreamHead, Attempt: a.n, Response: &a.resp.ResponseHead})
	return false, false
}

var errInterim = errors.New("upstream switches protocols or sends interim answers without end")

// fill reads from the upstream. What the client is owed is written first. It
// reports whether there is something new to look at.
func (c *conn) fill() bool {
	a := &c.at
	c.flush()
	if c.gone && !c.told {
		return false
	}
	if a.r == a.w {
		a.r, a.w = 0, 0
	}
	if a.w == len(a.buf) {
		grown := make([]byte, 2*len(a.buf))
		a.w = copy(grown, a.buf[a.r:a.w])
		a.r, a.buf = 0, grown
	}
	if a.headSeen {
		c.begin(phAnswerBody, a.want.BodyTimeoutNs)
	} else {
		c.watch.publish(phAnswerHead, a.headBy)
	}
	for {
		n, err := a.u.nc.Read(a.buf[a.w:])
		if n > 0 {
			a.w += n
			return true
		}
		if err == nil {
			continue
		}
		if isDeadline(err) {
			if r := c.pushed(a.u); r != pushedNot {
				c.pushedOut(r, err)
				return false
			}
			continue
		}
		return c.upstreamEnded(err)
	}
}

// pushed clears the upstream's deadline and tells what it was for.
func (c *conn) pushed(u *upConn) reason {
	if c.e.killed.Load() && !c.told {
		return pushedKilled
	}
	u.nc.SetDeadline(time.Time{})
	r := c.watch.verdictFor()
	if r == pushedLeft && c.told {
		return pushedNot
	}
	return r
}

// pushedOut acts on the sweeper's reason.
func (c *conn) pushedOut(r reason, err error) {
	switch {
	case r == pushedTimer:
		c.watch.timer.Store(0)
		c.step(exchange.Event{Kind: exchange.EvTimer})
	case r == pushedOverdue && c.at.headSeen:
		c.fault(exchange.FaultTimeoutBody, err)
	case r == pushedOverdue:
		c.fault(exchange.FaultTimeoutHead, err)
	default:
		c.gone = true
	}
}

// upstreamEnded is told that the upstream closed or reset the connection. It
// reports whether there is something new to look at.
func (c *conn) upstreamEnded(err error) bool {
	a := &c.at
	switch {
	case a.headSeen:
		if isEOF(err) && a.body.Close() == nil {
			return true
		}
		c.fault(exchange.FaultMidBody, err)
	case a.reused && a.w == 0 && !a.cut && a.want.Method == "GET":
		// See resend.
		return c.resend()
	default:
		c.fault(exchange.FaultReset, err)
	}
	return false
}
