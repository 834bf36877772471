package conn

import (
	"crypto/tls"
	"io"
	"net"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

const (
	inputSize      = 4 << 10  // bytes of a connection's read buffer
	keepInput      = 16 << 10 // a grown one above this is given back when idle
	chunkedInput   = 32 << 10 // its size while a chunked body is read
	defaultHead    = 64 << 10 // Limits.MaxHeadBytes and MaxUpstreamHead when 0
	drainBytes     = 64 << 10 // of an unread body, so that the connection can be kept
	lingerBytes    = 1 << 20  // read and dropped so that a last answer is not lost
	lingerNs       = int64(time.Second)
	handshakeNs    = int64(10 * time.Second) // when no head limit is set
	maxBodySpace   = 256 << 10               // asked of the exchange at once
	timeoutMessage = "request head took too long"
)

// conn is a client connection and the request that is on it. Everything but
// watch, up, ahead and wake belongs to its goroutine.
type conn struct {
	e      *Engine
	nc     net.Conn
	raw    syscall.RawConn
	remote string
	slot   int // in Engine.conns, under its lock

	watch watch
	up    atomic.Pointer[upConn] // of the attempt, for the sweeper
	// shutSince is when the client's end was first seen, 0: not. The sweeper's own.
	shutSince int64

	ahead atomic.Bool // the client has sent a request before the last answer
	wake  chan struct{}

	core  *exchange.Core
	pools []*pool
	lim   *exchange.Limits

	in     []byte // in[r:w] is read and not used
	r, w   int
	req    wire.Request
	body   wire.Body
	bodyBy uint64 // tick at which the body is overdue
	bodyIn int64  // body bytes so far

	x        *exchange.Exchange
	ev       exchange.Event
	acts     exchange.Actions
	out      output
	outSpace *buffer
	at       attempt
	stored   chan error

	request
}

// request is the state of one request, cleared for the next.
type request struct {
	minor     int  // of the client's HTTP version
	head      bool // the method is HEAD
	wantBody  bool // ActReadBody was given, EvRequestEnd not yet
	continued bool // 100 Continue was sent, or need not be
	framing   wire.Kind
	noBody    bool // the response has none on the wire
	responded bool
	lastly    bool // the connection ends with this response
	linger    bool // and the client may still be sending
	abort     bool // the response must be seen not to be whole
	awaiting  bool // EvStored is owed
	gone      bool // the client is gone: nothing is written any more
	told      bool // and the exchange knows
	done      bool // ActDone was given
}

func newConn(e *Engine, nc net.Conn) *conn {
	c := &conn{e: e, nc: nc, raw: rawOf(nc), wake: make(chan struct{}, 1), stored: make(chan error, 1)}
	c.remote = nc.RemoteAddr().String()
	c.in = make([]byte, inputSize)
	if e.tls != nil {
		c.nc = tls.Server(nc, e.tls)
	}
	return c
}

// Stored implements logrow.Completion.
func (c *conn) Stored(err error) { c.stored <- err }

// serve is the goroutine of the connection.
func (c *conn) serve() {
	defer c.e.remove(c)
	defer c.close()
	defer func() {
		if p := recover(); p != nil {
			c.e.panics.Add(1)
			c.e.o.Logger.Error("panic in a client connection", "remote", c.remote, "panic", p, "stack", string(debug.Stack()))
			c.giveUp()
		}
	}()
	c.setCore(c.e.o.Core())
	if tc, ok := c.nc.(*tls.Conn); ok {
		limit := c.lim.HeadTimeoutNs
		if limit == 0 {
			limit = handshakeNs
		}
		c.begin(phHead, limit)
		if err := tc.Handshake(); err != nil {
			return
		}
	}
	for c.serveOne() {
	}
}

// setCore takes the newest core for the next request.
func (c *conn) setCore(core *exchange.Core) {
	if core != c.core {
		c.core, c.lim, c.pools = core, core.Limits(), c.e.poolsOf(core)
	}
}

// begin publishes a phase that may last limitNs; 0: for ever. The time is the
// last tick's, so a limit is kept up to two ticks late.
func (c *conn) begin(p phase, limitNs int64) { c.watch.publish(p, c.tickAfter(limitNs)) }

func (c *conn) tickAfter(limitNs int64) uint64 {
	if limitNs <= 0 {
		return 0
	}
	return c.e.ticks(c.e.coarse.Load() + limitNs + int64(sweepEvery))
}

// errPushed is a read's error when the sweeper ended it, with its reason.
type errPushed reason

func (errPushed) Error() string { return "pushed out of a read" }

// read reads from the client in the phase that was published.
func (c *conn) read(b []byte) (int, error) {
	for {
		n, err := c.nc.Read(b)
		if n > 0 {
			return n, nil
		}
		if err == nil {
			continue
		}
		if !isDeadline(err) {
			return 0, err
		}
		if c.e.killed.Load() {
			return 0, errPushed(pushedKilled)
		}
		c.nc.SetReadDeadline(time.Time{})
		if r := c.watch.verdictFor(); r != pushedNot {
			return 0, errPushed(r)
		}
	}
}

// serveOne reads a request and answers it. It reports whether the connection
// may carry another one.
func (c *conn) serveOne() bool {
	n, bad, ok := c.readHead()
	if !ok {
		return false
	}
	c.request = request{minor: 1}
	c.setCore(c.e.o.Core())
	c.x = c.core.Acquire()
	c.outSpace = c.e.buffers.Get().(*buffer)
	c.out.buf = c.outSpace[:0]
	c.out.wrote = 0
	if bad != nil {
		c.lastly, c.linger = true, true
		c.body.Reset(wire.BodyNone, 0)
		c.step(exchange.Event{Kind: exchange.EvBadRequest, Status: bad.Status, Reason: bad.Reason})
	} else {
		c.r += n
		c.minor, c.head = c.req.Minor, string(c.req.Method) == "HEAD"
		c.lastly, c.continued = !c.req.KeepAlive, !c.req.Expect
		c.body.Reset(c.req.Body, c.req.ContentLength)
		c.bodyBy, c.bodyIn = c.tickAfter(c.lim.BodyTimeoutNs), 0
		if c.w > c.r && c.req.Body == wire.BodyNone {
			c.ahead.Store(true)
		}
		c.req.RemoteAddr = c.remote
		c.step(exchange.Event{Kind: exchange.EvRequestHead, Head: &c.req.RequestHead})
	}
	c.drive()
	c.flush()
	c.settle()
	c.abort = c.abort || c.gone
	return !c.gone && !c.abort && !c.lastly && c.drain()
}

// settle gives back what the request held.
func (c *conn) settle() {
	c.at.end(c, false)
	c.watch.timer.Store(0)
	c.out.buf = nil
	c.e.buffers.Put(c.outSpace)
	c.outSpace = nil
	c.core.Release(c.x)
	c.x = nil
}

// drain reads what is left of a request's body, so that the next request can
// be read. It reports whether that was worth it.
func (c *conn) drain() bool {
	for budget := drainBytes; !c.body.Done(); {
		if c.r == c.w {
			c.r, c.w = 0, 0
			c.watch.publish(phBody, c.bodyBy)
			n, err := c.read(c.in)
			if err != nil {
				return false
			}
			c.w = n
		}
		_, n, err := c.body.Decode(c.in[c.r:c.w])
		c.r += n
		if budget -= n; err != nil || budget < 0 {
			c.linger = true
			return false
		}
	}
	return true
}

// close ends the connection. A client that may still be sending gets time to
// read the answer: closing at once would reset the connection and lose it.
func (c *conn) close() {
	switch {
	case c.abort:
		if c.framing == wire.BodyClose {
			// The end of the connection would look like the end of the answer.
			if tcp, ok := c.under().(*net.TCPConn); ok {
				tcp.SetLinger(0)
			}
		}
		c.under().Close()
		return
	case c.linger && !c.gone:
		if half, ok := c.nc.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
			c.begin(phLinger, lingerNs)
			for left := lingerBytes; left > 0; {
				n, err := c.read(c.in)
				if err != nil {
					break
				}
				left -= n
			}
		}
	}
	c.nc.Close()
}

// under is the connection below TLS.
func (c *conn) under() net.Conn {
	if tc, ok := c.nc.(*tls.Conn); ok {
		return tc.NetConn()
	}
	return c.nc
}

// giveUp settles a request after a panic.
func (c *conn) giveUp() {
	defer func() {
		if p := recover(); p != nil {
			c.e.o.Logger.Error("panic while settling", "remote", c.remote, "panic", p)
		}
	}()
	if c.x == nil {
		return
	}
	c.gone, c.abort = true, true
	if !c.done {
		c.drive()
	}
	c.settle()
}

// isEOF reports a connection that the peer ended in order.
func isEOF(err error) bool { return err == io.EOF }
