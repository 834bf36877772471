package conn

import "syscall"

// presence is what can be seen of a client without reading from it.
type presence uint8

const (
	present      presence = iota
	presentAhead          // it has sent bytes that nobody read yet
	shutWriting           // it has closed its writing side, or the whole connection
	gone                  // the connection is dead
)

// halfClosedNs is how long a client that closed its writing side behind
// requests sent ahead is given for what it waits for.
const halfClosedNs = int64(10e9)

// clientLeft is asked by the sweeper while the goroutine waits for an upstream.
//
// The two ways of a client to close its writing side look alike here: one that
// leaves, and one that has said everything and reads on. The first is what
// clients of a gateway do. So closing counts as leaving, except for a client
// that had sent something ahead: it may have closed behind its last request, and
// is waited for, but not for long.
func (c *conn) clientLeft(p *prober) bool {
	if c.raw == nil {
		return false
	}
	switch p.look(c.raw) {
	case gone:
		return true
	case shutWriting:
		if !c.ahead.Load() {
			return true
		}
		now := c.e.o.Now()
		if c.shutSince == 0 {
			c.shutSince = now
		}
		return now-c.shutSince > halfClosedNs
	case presentAhead:
		if c.e.tls == nil { // with TLS it may as well be an alert
			c.ahead.Store(true)
		}
	}
	return false
}

// rawOf is the connection below, nil when it has no descriptor.
func rawOf(nc any) syscall.RawConn {
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
