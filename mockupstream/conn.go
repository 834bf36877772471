package mockupstream

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

const (
	firstBuffer = 8 << 10 // holds the usual request
	// bodyBuffer is what a connection grows to when a body is larger: about
	// what the kernel hands over at once on loopback, and within the L2 cache.
	bodyBuffer = 64 << 10

	// A connection that refuses a request goes on reading for so long, or so
	// many bytes: closing with bytes unread would reset the connection and
	// could take the refusal away from the peer.
	lingerTime  = time.Second
	lingerBytes = 4 << 20
)

var continueLine = []byte("HTTP/1.1 100 Continue\r\n\r\n")

// conn serves one connection. All but stop and its fields belongs to the
// connection's goroutine.
type conn struct {
	nc     net.Conn
	srv    *Server
	shard  *shard
	parser parser

	buf     []byte
	r, w    int   // the unread bytes are buf[r:w]
	readAt  int64 // when the last read returned
	in, out int64 // bytes moved and not counted yet

	script  *compiled
	last    *answers // of the latest request, likely of the next
	scratch []byte   // a message with its slots filled in
	outcome outcome

	stopMu  sync.Mutex // guards sleeper's creation against stop
	sleeper *sleeper
	stopped atomic.Bool
}

func newConn(srv *Server, nc net.Conn, sh *shard) *conn {
	c := &conn{nc: nc, srv: srv, shard: sh, buf: make([]byte, firstBuffer)}
	c.parser.limits = limits{head: srv.opts.MaxHeadBytes, body: srv.opts.MaxBodyBytes}
	return c
}

// stop ends the connection from outside.
func (c *conn) stop() {
	c.stopped.Store(true)
	_ = c.nc.Close()
	c.stopMu.Lock()
	defer c.stopMu.Unlock()
	if c.sleeper != nil {
		c.sleeper.close()
	}
}

func (c *conn) serve() {
	for c.exchange() {
	}
	c.shard.moved(c.in, c.out)
	c.stop()
}

// exchange reads one request and answers it. It reports whether the
// connection goes on.
func (c *conn) exchange() bool {
	return c.receive() && c.answer()
}

// receive reads until a request is whole.
func (c *conn) receive() bool {
	p := &c.parser
	p.reset()
	for {
		if p.untouched() && c.r < c.w {
			// The script is that of the request's first bytes, not of the time
			// when an idle connection began to wait for them.
			c.script = c.srv.script.Load()
			p.req.countText = c.script.script.PromptMode == PromptChars4
		}
		n, done, refused := p.feed(c.buf[c.r:c.w])
		c.r += n
		switch {
		case refused != nil:
			c.refuse(refused)
			return false
		case done:
			return true
		}
		if p.wait100 && p.state > inHeaders {
			p.wait100 = false
			// A peer whose body is under way does not wait for leave.
			if c.r == c.w {
				if _, err := c.send(continueLine); err != nil {
					c.broken()
					return false
				}
			}
		}
		if err := c.fill(); err != nil {
			if !p.untouched() || c.r < c.w {
				c.broken()
			}
			return false
		}
	}
}

// broken counts a request whose peer left in the middle of it.
func (c *conn) broken() {
	if !c.stopped.Load() {
		c.shard.malformed(0)
	}
}

// fill reads more bytes behind the unread ones.
func (c *conn) fill() error {
	if c.r == c.w {
		c.r, c.w = 0, 0
		if c.parser.remaining > int64(len(c.buf)) && len(c.buf) < bodyBuffer {
			c.buf = make([]byte, bodyBuffer)
		}
	}
	if c.w == len(c.buf) {
		if c.r == 0 {
			// A line longer than the buffer; the parser bounds it.
			c.buf = append(c.buf, make([]byte, len(c.buf))...)
		} else {
			c.w = copy(c.buf, c.buf[c.r:c.w])
			c.r = 0
		}
	}
	for range 100 {
		n, err := c.nc.Read(c.buf[c.w:])
		if n > 0 {
			c.readAt = contract.Now()
			c.w += n
			c.in += int64(n)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// send writes b and counts what the kernel accepted.
func (c *conn) send(b []byte) (int, error) {
	n, err := c.nc.Write(b)
	c.out += int64(n)
	return n, err
}

// refuse answers a request that could not be read and ends the connection's
// output, then waits for the peer to end its own.
func (c *conn) refuse(r *refusal) {
	c.shard.malformed(r.status)
	c.shard.lastWrite()
	m := r.answer[closing]
	b := m.wire
	if c.parser.req.method == methodHead {
		b = b[:m.head]
	}
	_, err := c.send(b)
	c.shard.moved(c.in, c.out)
	c.in, c.out = 0, 0
	if err != nil || !c.finish() {
		return
	}
	_ = c.nc.SetReadDeadline(time.Now().Add(lingerTime))
	for left := lingerBytes; left > 0; {
		c.r, c.w = 0, 0
		if c.fill() != nil {
			return
		}
		left -= c.w
	}
}

// finish ends the connection's output in order, where the transport can.
func (c *conn) finish() bool {
	half, ok := c.nc.(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}

// reset makes the closing of the connection a reset, where the transport can.
func (c *conn) reset() {
	if tcp, ok := c.nc.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
}

// awaitPeer reads, and discards, until the peer leaves. It reports false when
// the server stopped the connection instead.
func (c *conn) awaitPeer() bool {
	for {
		c.r, c.w = 0, 0
		if c.fill() != nil {
			return !c.stopped.Load()
		}
	}
}

// wait sleeps until the instant. It fails when the server stops.
func (c *conn) wait(at int64) error {
	if c.sleeper == nil {
		s, err := newSleeper()
		if err != nil {
			return err
		}
		c.stopMu.Lock()
		c.sleeper = s
		c.stopMu.Unlock()
		if c.stopped.Load() {
			s.close()
			return errStopped
		}
	}
	return c.sleeper.until(at)
}

var errStopped = errors.New("server stopped")
