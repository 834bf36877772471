package loadgen

import (
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/loadgen/answer"
	"github.com/tollgate-lab/tollgate/loadgen/http1"
	"github.com/tollgate-lab/tollgate/results/contract"
)

const (
	// readBuffer holds most answers, and some hundred frames of a stream;
	// with more than manyConns connections memory matters more.
	readBuffer      = 32 << 10
	readBufferSmall = 8 << 10
	manyConns       = 1000
	// oneWrite is the largest request that each connection keeps a copy of,
	// to send it with a plain write. Larger ones are shared between the
	// connections and sent with one vectored write.
	oneWrite = 16 << 10
	// idleLong is how long a connection is idle before it is looked at for
	// having been closed, in nanoseconds. The shortest keep-alive time-outs
	// of servers are some seconds.
	idleLong = int64(100 * time.Millisecond)
	// longestBackoff bounds the pause after a refused connection.
	longestBackoff = 10 * time.Millisecond
	// swept in leanConn.since says that the sweeper ended the request.
	swept = -1
)

// leanConn is one connection of the lean client and the goroutine's state.
type leanConn struct {
	run    *run
	shard  *shard
	addr   string
	wake   chan struct{}
	parser http1.Parser
	check  *answer.Checker
	sample sample
	buf    []byte
	plain  outgoing
	stream outgoing
	said   []byte // the first bytes of an error's body

	mu    sync.Mutex // guards conn against sweeper and stop; only the owner changes it
	conn  net.Conn
	since atomic.Int64 // Sent of the request in flight, 0: none, swept

	refusals int // connections refused in a row
}

// outgoing is one connection's form of a message.
type outgoing struct {
	msg   *message
	whole []byte // the message with room for the id; nil: too large, see parts
	idAt  int
	id    [contract.IDLen]byte
	parts [3][]byte
	vec   net.Buffers
}

func newLeanConn(r *run, s *shard, addr string) *leanConn {
	size := readBuffer
	if r.job.Conc > manyConns {
		size = readBufferSmall
	}
	c := &leanConn{
		run: r, shard: s, addr: addr,
		wake:  make(chan struct{}, 1),
		check: r.newChecker(),
		buf:   make([]byte, size),
	}
	c.parser.Mark = markGatewayError
	c.plain.prepare(&r.req.plain)
	c.stream.prepare(&r.req.stream)
	return c
}

func (o *outgoing) prepare(m *message) {
	o.msg, o.idAt = m, len(m.before)
	if size := len(m.before) + contract.IDLen + len(m.after); size <= oneWrite {
		o.whole = append(make([]byte, 0, size), m.before...)
		if m.hasID {
			o.whole = append(o.whole, o.id[:]...)
			o.whole = append(o.whole, m.after...)
		}
	}
}

// send writes the request in one system call, as far as the socket takes it.
func (o *outgoing) send(conn net.Conn, id uint64) error {
	if o.whole != nil {
		if o.msg.hasID {
			contract.PutID(o.whole[o.idAt:], id)
		}
		_, err := conn.Write(o.whole)
		return err
	}
	if !o.msg.hasID {
		_, err := conn.Write(o.msg.before)
		return err
	}
	contract.PutID(o.id[:], id)
	// Writing consumes the vector, so it is made anew over the same array.
	o.parts = [3][]byte{o.msg.before, o.id[:], o.msg.after}
	o.vec = o.parts[:]
	_, err := o.vec.WriteTo(conn)
	return err
}

// dial opens the connection. Go sets TCP_NODELAY on it; keep-alive probes
// would be traffic that nobody asked for.
func (c *leanConn) dial() error {
	d := net.Dialer{Timeout: c.run.job.Timeout, KeepAliveConfig: net.KeepAliveConfig{Enable: false}, KeepAlive: -1}
	conn, err := d.DialContext(c.run.ctx, "tcp", c.addr)
	if err != nil {
		return err
	}
	c.run.connects.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = conn
	if c.run.leaving() { // stop may have passed by before conn was there
		_ = conn.SetDeadline(longAgo)
	}
	return nil
}

func (c *leanConn) hangUp() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		_ = c.conn.Close() // nothing is left to send, so nothing can be lost
		c.conn = nil
	}
}

// connected makes sure that there is a connection to send on. idleFrom is
// when it was last used.
func (c *leanConn) connected(idleFrom int64) error {
	if c.conn != nil && c.run.openLoop() && contract.Now()-idleFrom > idleLong && !peerIdle(c.conn) {
		c.hangUp()
	}
	if c.conn != nil {
		return nil
	}
	err := c.dial()
	if err == nil {
		c.refusals = 0
		return nil
	}
	// A target that refuses would otherwise be asked 100,000 times a second.
	if !c.run.leaving() {
		time.Sleep(min(time.Millisecond<<min(c.refusals, 8), longestBackoff))
	}
	c.refusals++
	return err
}
