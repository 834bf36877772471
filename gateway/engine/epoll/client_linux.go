package epoll

import (
	"bytes"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

type phase uint8

const (
	phaseIdle   phase = iota // between requests
	phaseHead                // a part of a head has come
	phaseBody                // the body is being read
	phaseDrain               // answered; the short rest of the body is read over
	phaseBusy                // the request is whole or answered before its end
	phaseLinger              // answered; what still comes is thrown away before the close
	phaseClosed
)

const (
	lingerNs    = 2e9     // the longest wait for a client to take its answer and stop sending
	lingerBytes = 1 << 20 // and the most that is read over
	bodyRead    = 256 << 10
	drainBytes  = 64 << 10 // an unread body up to this is read over, so that the connection can be kept
)

// client is a client's connection and the exchange of its request in hand.
type client struct {
	l     *loop
	fd    int32
	index int // in loop.clients
	life  int // tells the connections that had this struct one after another apart
	phase phase

	readable bool // more may be read
	shut     bool // the client has ended its sending side
	keep     bool // another request may follow the one in hand
	expect   bool // 100 Continue is waited for
	head     bool // the method is HEAD
	minor    int
	hold     []byte // read, not yet consumed
	body     wire.Body
	since    int64 // begin of the phase

	core     *exchange.Core
	x        *exchange.Exchange
	awaiting bool // its row is being stored
	up       *upstream
	timer    int64

	// Of the answer in hand.
	begun     bool // its head has been emitted
	chunked   bool
	bodyless  bool // HEAD: no body is written
	finished  bool
	aborted   bool
	broken    bool // a write failed
	cancelled bool // the exchange has been told
	discarded int  // bytes read over while lingering
	delivered int64

	owed      int // stretches of output that leave with the batch of events
	owedBytes int
	pend      []byte // what the socket did not take
	pendAt    int
	pendSegs  []segment
	pendSince int64 // of the last progress
}

func (c *client) begin(fd int32) {
	l := c.l
	*c = client{l: l, fd: fd, index: len(l.clients), life: c.life + 1, hold: c.hold[:0], pendSegs: c.pendSegs[:0], since: l.now}
	l.clients = append(l.clients, c)
}

// ready takes an event of the client's socket.
func (c *client) ready(events uint32) {
	if events&(unix.EPOLLERR|unix.EPOLLHUP) != 0 {
		c.shut = true
		c.cancel()
		return
	}
	if events&unix.EPOLLOUT != 0 && len(c.pend) > 0 {
		c.flushPending()
	}
	if events&unix.EPOLLRDHUP != 0 {
		c.shut = true
	}
	if events&(unix.EPOLLIN|unix.EPOLLRDHUP) != 0 {
		c.readable = true
	}
	if c.phase == phaseBusy && c.shut && c.x != nil {
		// The answer has nobody to go to.
		c.cancel()
		return
	}
	c.read()
	c.after()
}

// read reads and consumes as long as the phase wants input and some is there.
func (c *client) read() {
	l := c.l
	for c.readable && (c.phase < phaseBusy || c.phase == phaseLinger) {
		if c.phase == phaseBody && c.body.Left() > 0 && len(c.hold) == 0 {
			c.readBody()
			continue
		}
		kept := copy(l.rbuf, c.hold)
		n, errno := sysRead(c.fd, l.rbuf[kept:])
		if errno != 0 {
			c.readable = false
			if !transient(errno) {
				c.cancel()
			}
			return
		}
		if n == 0 {
			c.readable, c.shut = false, true
			c.ended()
			return
		}
		if kept+n < len(l.rbuf) && !c.shut {
			c.readable = false
		}
		c.consume(l.rbuf[:kept+n], kept)
	}
}

// readBody reads a body of known length to where the exchange keeps it.
func (c *client) readBody() {
	space := c.x.BodySpace(int(min(c.body.Left(), bodyRead)))
	n, errno := sysRead(c.fd, space)
	switch {
	case errno != 0:
		c.readable = false
		if !transient(errno) {
			c.cancel()
		}
		return
	case n == 0:
		c.readable, c.shut = false, true
		c.ended()
		return
	case n < len(space) && !c.shut:
		c.readable = false
	}
	c.bodyBytes(space[:n])
}

// ended is told that the client sends no more.
func (c *client) ended() {
	switch c.phase {
	case phaseIdle, phaseHead, phaseDrain, phaseLinger:
		c.close()
	default:
		c.cancel()
	}
}

// consume takes what has come; b[:old] was there before. What is left over is
// kept.
func (c *client) consume(b []byte, old int) {
	for len(b) > 0 {
		switch c.phase {
		case phaseIdle, phaseHead:
			if c.phase == phaseIdle {
				c.phase, c.since = phaseHead, c.l.now
			}
			if bytes.IndexByte(b[old:], '\n') < 0 && !c.overHead(len(b)) {
				c.keepRest(b) // no line has ended since the last look
				return
			}
			n, ok := c.requestHead(b)
			if !ok {
				return
			}
			if n == 0 {
				c.keepRest(b)
				return
			}
			b, old = b[n:], 0
		case phaseBody:
			n := c.bodyBytes(b)
			b, old = b[n:], 0
		case phaseDrain:
			_, n, err := c.body.Decode(b)
			if err != nil {
				c.close()
				return
			}
			if c.body.Done() {
				c.phase, c.since = phaseIdle, c.l.now
			}
			b, old = b[n:], 0
		case phaseLinger:
			if c.discarded += len(b); c.discarded > lingerBytes {
				c.close()
			}
			c.hold = c.hold[:0]
			return
		default:
			c.keepRest(b)
			return
		}
	}
	c.hold = c.hold[:0]
}

func (c *client) overHead(n int) bool {
	limit := c.l.e.o.Core().Limits().MaxHeadBytes
	return limit > 0 && n > limit
}

// keepRest copies what belongs to later. b may be the hold itself.
func (c *client) keepRest(b []byte) { c.hold = append(c.hold[:0], b...) }

// requestHead reads a head and begins its exchange. It returns the head's
// length, 0 when it is not whole; ok is false when the connection is done for.
func (c *client) requestHead(b []byte) (n int, ok bool) {
	l := c.l
	core := l.e.o.Core()
	l.req.Reset()
	n, err := l.req.Parse(b, wireLimits(core.Limits()))
	if err != nil {
		c.refuse(err)
		return 0, false
	}
	if n == 0 {
		return 0, true
	}
	r := &l.req
	c.core, c.x = core, core.Acquire()
	c.keep, c.expect, c.minor = r.KeepAlive && !l.draining, r.Expect, r.Minor
	c.head = string(r.Method) == "HEAD"
	c.begun, c.chunked, c.bodyless, c.finished, c.aborted, c.cancelled = false, false, false, false, false, false
	c.delivered, c.timer = 0, 0
	c.body.Reset(r.Body, r.ContentLength)
	c.phase, c.since = phaseBusy, l.now
	l.ev = exchange.Event{Kind: exchange.EvRequestHead, Head: &r.RequestHead}
	c.step()
	return n, c.phase != phaseClosed
}

// bodyBytes takes body bytes as they came and returns how many were the body's.
func (c *client) bodyBytes(b []byte) int {
	l := c.l
	data, n, err := c.body.Decode(b)
	if len(data) > 0 {
		l.ev = exchange.Event{Kind: exchange.EvRequestBody, Data: data}
		c.step()
	}
	if c.phase != phaseBody {
		return n
	}
	if err != nil {
		c.refuse(err)
		return n
	}
	if c.body.Done() {
		c.requestEnd()
	}
	return n
}

func (c *client) requestEnd() {
	c.phase, c.since = phaseBusy, c.l.now
	c.l.ev = exchange.Event{Kind: exchange.EvRequestEnd}
	c.step()
}

// refuse answers a message that cannot be read; the connection ends with it.
func (c *client) refuse(err error) {
	status, reason := 400, "malformed"
	if w, ok := err.(*wire.Error); ok {
		status, reason = w.Status, w.Reason
	}
	c.refuseWith(status, reason)
}

func (c *client) refuseWith(status int, reason string) {
	l := c.l
	if c.x == nil {
		c.core = l.e.o.Core()
		c.x = c.core.Acquire()
		c.begun, c.chunked, c.bodyless, c.finished, c.aborted, c.cancelled = false, false, false, false, false, false
		c.delivered, c.timer, c.minor, c.head = 0, 0, 1, false
	}
	c.keep = false
	c.phase, c.since = phaseBusy, l.now
	c.hold = c.hold[:0]
	l.ev = exchange.Event{Kind: exchange.EvBadRequest, Status: status, Reason: reason}
	c.step()
}
