//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package conn

import "syscall"

// peeker reads one byte without taking it and without blocking. It is made once
// for a connection, so that a look allocates nothing.
type peeker struct {
	b    [1]byte
	seen presence
	call func(fd uintptr)
}

func newPeeker() *peeker {
	p := &peeker{}
	p.call = p.peek
	return p
}

func (p *peeker) look(raw syscall.RawConn) presence {
	p.seen = gone
	if err := raw.Control(p.call); err != nil {
		return gone
	}
	return p.seen
}

func (p *peeker) peek(fd uintptr) {
	n, err := recvPeek(fd, p.b[:])
	switch {
	case err == syscall.EAGAIN || err == syscall.EINTR:
		p.seen = present
	case err != nil:
		p.seen = gone
	case n == 0:
		p.seen = shutWriting
	default:
		p.seen = presentAhead
	}
}

// idleAlive reports whether an idle upstream connection may be used: the
// upstream has neither closed it nor sent anything unasked. With TLS a pending
// record may be a session ticket.
func idleAlive(u *upConn, _ int64) bool {
	if u.raw == nil {
		return true
	}
	if u.peeker == nil {
		u.peeker = newPeeker()
	}
	p := u.peeker.look(u.raw)
	return p == present || p == presentAhead && u.pool.tls != nil
}
