package epoll

import (
	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

type upPhase uint8

const (
	upIdle upPhase = iota
	upConnecting
	upSending // the request has not left whole
	upHead    // the answer's head is waited for
	upBody
	upClosed
)

// small requests are copied together and leave with one plain send.
const small = 8 << 10

// upstream is a connection to a provider and, while c is set, an attempt.
type upstream struct {
	l       *loop
	p       *pool
	fd      int32
	index   int // in pool.idle
	phase   upPhase
	since   int64
	c       *client
	core    *exchange.Core
	attempt int
	req     *exchange.Upstream

	readable, shut bool
	reused         bool // it has carried an answer before
	fresh          bool // this attempt has already been moved to a new connection
	noBody         bool
	keep           bool
	head           []byte // of the request, when it did not leave at once
	sent           int    // request bytes taken by the socket
	total          int
	hold           []byte // a part of the answer's head
	body           wire.Body
	addr           int // of pool.addrs, the one that is tried
}

// open begins an attempt. A fault is returned when it has failed already.
func (c *client) open(a *exchange.Action) exchange.UpstreamFault {
	l := c.l
	p := l.poolFor(&c.core.Endpoints()[a.Upstream.Endpoint])
	if c.up != nil {
		c.up.end()
	}
	if u := p.take(); u != nil {
		l.e.stats.reused.Add(1)
		u.assign(c, a.Attempt, a.Upstream)
		u.phase, u.since = upSending, l.now
		l.asks = append(l.asks, u)
		return exchange.FaultNone
	}
	return p.dial(c, a.Attempt, a.Upstream)
}

// assign gives the connection an attempt.
func (u *upstream) assign(c *client, attempt int, req *exchange.Upstream) {
	u.c, u.core, u.attempt, u.req = c, c.core, attempt, req
	u.noBody = req.Method == "HEAD"
	u.sent, u.total, u.head, u.hold = 0, 0, u.head[:0], u.hold[:0]
	u.fresh = false
	c.up = u
}

// send sends what has not left of the request.
func (u *upstream) send() exchange.UpstreamFault {
	l := u.l
	if u.total == 0 {
		body := int64(-1)
		if u.req.Body != nil || u.req.Method == "POST" {
			body = int64(u.req.Len())
		}
		u.head = wire.AppendRequestHead(u.head[:0], u.req.Method, u.req.Path, u.p.hostHead, u.req.Fields, body)
		u.total = len(u.head) + u.req.Len()
	}
	u.phase, u.since = upSending, l.now
	for u.sent < u.total {
		n, errno := u.sendSome()
		if errno != 0 {
			if transient(errno) {
				return exchange.FaultNone
			}
			return u.failed(exchange.FaultReset)
		}
		u.sent += n
	}
	u.phase, u.since = upHead, l.now
	return exchange.FaultNone
}

// sendSome makes one call for the bytes from u.sent on.
func (u *upstream) sendSome() (int, unixErrno) {
	l := u.l
	if u.sent == 0 && u.total <= small {
		b := append(l.out[len(l.out):], u.head...) // behind what is gathered, and never kept
		b = appendBody(b, u.req)
		return sysSend(u.fd, b)
	}
	iov, skip := l.iov[:0], u.sent
	piece := func(p []byte) {
		switch {
		case skip >= len(p):
			skip -= len(p)
		case len(iov) < cap(iov):
			iov = append(iov, iovec(p[skip:]))
			skip = 0
		}
	}
	piece(u.head)
	at := 0
	for i := range u.req.Splices {
		s := &u.req.Splices[i]
		piece(u.req.Body[at:s.At])
		piece(s.Put)
		at = s.At + s.Cut
	}
	piece(u.req.Body[at:])
	return sysSendv(u.fd, iov)
}

func appendBody(b []byte, r *exchange.Upstream) []byte {
	at := 0
	for i := range r.Splices {
		s := &r.Splices[i]
		b = append(b, r.Body[at:s.At]...)
		b = append(b, s.Put...)
		at = s.At + s.Cut
	}
	return append(b, r.Body[at:]...)
}

// ready takes an event of the upstream's socket.
func (u *upstream) ready(events uint32) {
	c := u.c
	if events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
		u.shut = true
	}
	if c == nil {
		if u.phase == upIdle && events&(unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			u.end() // an idle connection has nothing to say but its end
		}
		return
	}
	switch {
	case u.phase == upConnecting && events&(unix.EPOLLOUT|unix.EPOLLHUP|unix.EPOLLERR) != 0:
		u.connected()
	case u.phase == upSending && events&unix.EPOLLOUT != 0:
		if f := u.send(); f != exchange.FaultNone {
			u.tell(c, f)
		}
	}
	if u.c == c && u.phase != upConnecting && events&(unix.EPOLLIN|unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
		u.readable = true
		u.read()
	}
	c.after()
}

// read reads the answer as far as it has come and the client keeps up.
func (u *upstream) read() {
	l, c := u.l, u.c
	for u.readable && u.c == c && c != nil && !c.clogged() {
		kept := copy(l.rbuf, u.hold)
		room := l.rbuf[kept:]
		if u.phase == upBody {
			// What the client does not take is kept, so no more is read than that.
			room = room[:min(len(room), gulp)]
		}
		n, errno := sysRead(u.fd, room)
		if errno != 0 {
			u.readable = false
			if !transient(errno) {
				u.lost()
			}
			return
		}
		if n == 0 {
			u.readable = false
			u.lost()
			return
		}
		if n < len(room) && !u.shut {
			u.readable = false
		}
		u.hold = u.hold[:0]
		u.consume(l.rbuf[:kept+n])
		if len(l.out)-l.outAt > owe {
			c.flush() // or a client that takes nothing would be read for all the same
		}
	}
}

// consume takes what came of the answer.
func (u *upstream) consume(b []byte) {
	l, c := u.l, u.c
	for u.phase == upSending || u.phase == upHead {
		l.resp.Reset()
		lim := u.core.Limits()
		n, err := l.resp.Parse(b, wire.Limits{Bytes: lim.MaxUpstreamHead, Fields: lim.MaxHeadFields}, u.noBody)
		if err != nil {
			f := exchange.FaultMalformed
			if w, ok := err.(*wire.Error); ok && w.TooLarge() {
				f = exchange.FaultHeadTooLarge
			}
			u.end()
			u.tell(c, f)
			return
		}
		if n == 0 {
			u.hold = append(u.hold[:0], b...)
			return
		}
		b = b[n:]
		if l.resp.Interim() {
			continue
		}
		u.keep = l.resp.KeepAlive && u.phase == upHead
		u.body.Reset(l.resp.Body, l.resp.ContentLength)
		u.phase, u.since = upBody, l.now
		l.ev = exchange.Event{Kind: exchange.EvUpstreamHead, Response: &l.resp.ResponseHead, Attempt: u.attempt}
		c.step()
	}
	if u.c != c || u.phase != upBody {
		return
	}
	data, n, err := u.body.Decode(b)
	u.since = l.now
	if len(data) > 0 {
		l.ev = exchange.Event{Kind: exchange.EvUpstreamBody, Data: data, Attempt: u.attempt}
		c.step()
		if u.c != c {
			return
		}
	}
	switch {
	case err != nil:
		u.end()
		u.tell(c, exchange.FaultMidBody)
	case u.body.Done():
		u.keep = u.keep && n == len(b)
		u.answered(c)
	}
}

// answered ends an attempt whose answer was read whole.
func (u *upstream) answered(c *client) {
	attempt := u.attempt
	if u.keep && !u.shut {
		u.p.put(u)
	} else {
		u.end()
	}
	c.l.ev = exchange.Event{Kind: exchange.EvUpstreamEnd, Attempt: attempt}
	c.step()
}

// lost is told that the connection ended.
func (u *upstream) lost() {
	c := u.c
	if u.phase == upBody {
		if u.body.Close() == nil {
			u.keep = false
			u.answered(c)
			return
		}
		u.end()
		u.tell(c, exchange.FaultMidBody)
		return
	}
	if f := u.failed(exchange.FaultReset); f != exchange.FaultNone {
		u.tell(c, f)
	}
}

// failed ends the attempt's connection before any byte of an answer. A reused
// connection of which the peer took nothing of this request is replaced once:
// then nothing of it can have been processed. Everything else may have been,
// and is not sent twice.
func (u *upstream) failed(f exchange.UpstreamFault) exchange.UpstreamFault {
	c, attempt, req := u.c, u.attempt, u.req
	again := u.reused && !u.fresh && (u.sent == 0 || req.Method == "GET") && len(u.hold) == 0
	p := u.p
	u.end()
	if !again {
		return f
	}
	u.l.e.stats.retried.Add(1)
	f = p.dial(c, attempt, req)
	if c.up != nil {
		c.up.fresh = true
	}
	return f
}

// tell gives the exchange the end of its attempt. The connection is closed.
func (u *upstream) tell(c *client, f exchange.UpstreamFault) {
	c.l.ev = exchange.Event{Kind: exchange.EvUpstreamError, Fault: f, Attempt: u.attempt}
	c.step()
}

// end closes the connection and lets go of its client.
func (u *upstream) end() {
	if u.phase == upClosed {
		return
	}
	if u.phase == upIdle {
		u.p.forget(u)
	}
	u.phase = upClosed
	if u.c != nil && u.c.up == u {
		u.c.up = nil
	}
	u.c, u.core, u.req = nil, nil, nil
	u.p.open--
	u.l.e.stats.upstreams.Add(-1)
	if u.fd >= 0 {
		u.l.unwatch(u.fd)
	}
}
