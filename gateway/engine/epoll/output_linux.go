package epoll

import (
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

const (
	direct   = 16 << 10 // body pieces above this are sent from where they lie
	owe      = 4 << 10  // output above this leaves at once; with settleEvery it bounds loop.out
	clog     = 64 << 10 // with more than this waiting, the upstream is not read
	gulp     = 64 << 10 // and this is the most read of it at once
	pendKeep = 16 << 10
)

// segment is a stretch of output: framing, then body bytes.
type segment struct{ framing, body int }

// respond gathers the head of the answer.
func (c *client) respond(a *exchange.Action) {
	l := c.l
	line := wire.ResponseLine{Status: a.Status, Body: wire.BodyLength, Length: a.ContentLength, Date: l.date.at(l.now)}
	bare := a.Status == 204 || a.Status == 304
	c.begun, c.bodyless = true, c.head || bare
	switch {
	case bare, c.head && a.ContentLength < 0:
		line.Body = wire.BodyNone
	case a.ContentLength >= 0:
	case c.minor == 1:
		line.Body, c.chunked = wire.BodyChunked, true
	default:
		line.Body, c.keep = wire.BodyClose, false
	}
	if !c.body.Done() && (c.expect || c.body.Left() < 0 || c.body.Left() > drainBytes) {
		c.keep = false // the rest of the request stays unread
	}
	if l.draining {
		c.keep = false
	}
	switch {
	case !c.keep:
		line.Connection = wire.ConnectionClose
	case c.minor == 0:
		line.Connection = wire.ConnectionKeepAlive
	}
	before := len(l.out)
	l.out = wire.AppendResponseHead(l.out, &line, a.Fields)
	l.segs = append(l.segs, segment{framing: len(l.out) - before})
}

// gather adds framing.
func (c *client) gather(s string) {
	l := c.l
	l.out = append(l.out, s...)
	l.segs = append(l.segs, segment{framing: len(s)})
}

// write adds body bytes. Short ones are copied together, long ones leave at
// once with what was gathered before them.
func (c *client) write(data []byte) {
	l := c.l
	if len(data) == 0 {
		return
	}
	if c.bodyless || c.broken {
		return
	}
	before := len(l.out)
	if c.chunked {
		l.out = wire.AppendChunkHead(l.out, len(data))
	}
	seg := segment{framing: len(l.out) - before, body: len(data)}
	if len(data) <= direct || len(c.pend) > 0 || c.owed > 0 {
		l.out = append(l.out, data...)
		l.segs = append(l.segs, seg)
	} else {
		l.segs = append(l.segs, seg)
		c.sendWith(data)
	}
	if c.chunked {
		c.gather(wire.ChunkEnd)
	}
}

func (c *client) finish() {
	if c.chunked && !c.broken {
		c.gather(wire.LastChunk)
	}
	c.finished = true
}

// sendWith sends what is gathered and data behind it with one call.
func (c *client) sendWith(data []byte) {
	l := c.l
	iov := l.iov[:0]
	out := l.out[l.outAt:]
	if len(out) > 0 {
		iov = append(iov, iovec(out))
	}
	iov = append(iov, iovec(data))
	n, errno := sysSendv(c.fd, iov)
	if errno != 0 && !transient(errno) {
		c.fail()
		return
	}
	c.took(n, out, data, l.segs[l.segAt:])
	l.forget()
}

// flush hands over what is gathered: it leaves when the batch of events is
// settled, or at once when there is much of it.
func (c *client) flush() {
	l := c.l
	out := l.out[l.outAt:]
	switch {
	case len(out) == 0:
	case c.broken || c.phase == phaseClosed:
		l.forget()
	case c.owed > 0 || len(c.pend) == 0 && len(out) <= owe:
		c.owed++
		c.owedBytes += len(out)
		l.owed = append(l.owed, debt{c: c, life: c.life, out: l.outAt, outEnd: len(l.out), seg: l.segAt, segEnd: len(l.segs)})
		l.outAt, l.segAt = len(l.out), len(l.segs)
	default:
		c.sendOut(out, l.segs[l.segAt:])
		l.forget()
	}
}

// sendOut sends out, or puts it behind what waits already.
func (c *client) sendOut(out []byte, segs []segment) {
	n := 0
	if len(c.pend) == 0 {
		var errno unixErrno
		if n, errno = sysSend(c.fd, out); errno != 0 && !transient(errno) {
			c.fail()
			return
		}
	}
	c.took(n, out, nil, segs)
}

// took accounts for n bytes of a+b taken by the socket and keeps the rest.
func (c *client) took(n int, a, b []byte, segs []segment) {
	if n == len(a)+len(b) {
		for i := range segs {
			c.delivered += int64(segs[i].body)
		}
		return
	}
	if len(c.pend) == 0 {
		c.pendSince = c.l.now
	}
	rest := c.advance(segs, n)
	c.pendSegs = append(c.pendSegs, rest...)
	if n < len(a) {
		c.pend = append(c.pend, a[n:]...)
		c.pend = append(c.pend, b...)
	} else {
		c.pend = append(c.pend, b[n-len(a):]...)
	}
}

// advance counts the body bytes among the first n bytes of segs as delivered
// and returns what is left of segs, which it changes.
func (c *client) advance(segs []segment, n int) []segment {
	for len(segs) > 0 && n > 0 {
		s := &segs[0]
		k := min(n, s.framing)
		s.framing -= k
		n -= k
		k = min(n, s.body)
		s.body -= k
		n -= k
		c.delivered += int64(k)
		if s.framing+s.body > 0 {
			break
		}
		segs = segs[1:]
	}
	return segs
}

// flushPending goes on with what the socket did not take before.
func (c *client) flushPending() {
	l := c.l
	for c.pendAt < len(c.pend) {
		n, errno := sysSend(c.fd, c.pend[c.pendAt:])
		if errno != 0 {
			if !transient(errno) {
				c.fail()
			}
			break
		}
		c.pendAt += n
		c.pendSince = l.now
		rest := c.advance(c.pendSegs, n)
		c.pendSegs = append(c.pendSegs[:0], rest...)
	}
	if c.broken || c.pendAt == len(c.pend) {
		c.dropPending()
	} else if c.pendAt > clog {
		c.pend = append(c.pend[:0], c.pend[c.pendAt:]...)
		c.pendAt = 0
	}
	c.goOn()
}

func (c *client) clogged() bool { return len(c.pend)-c.pendAt+c.owedBytes > clog }

// goOn reads what of the answer was left unread while the client was clogged.
func (c *client) goOn() {
	if c.up != nil && c.up.readable && !c.clogged() {
		c.up.read()
	}
}

func (c *client) dropPending() {
	if cap(c.pend) > pendKeep {
		c.pend = nil
	}
	c.pend, c.pendAt, c.pendSegs = c.pend[:0], 0, c.pendSegs[:0]
}

func (c *client) fail() {
	c.broken, c.keep = true, false
	c.l.forget()
	c.dropPending()
}
