//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package conn

import "syscall"

// peek reads one byte without taking it and without blocking.
func peek(raw syscall.RawConn) presence {
	seen := present
	err := raw.Control(func(fd uintptr) {
		var b [1]byte
		n, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		switch {
		case err == syscall.EAGAIN || err == syscall.EINTR:
		case err != nil:
			seen = gone
		case n == 0:
			seen = shutWriting
		default:
			seen = presentAhead
		}
	})
	if err != nil {
		return gone
	}
	return seen
}

// idleAlive reports whether an idle upstream connection may be used: the
// upstream has neither closed it nor sent anything unasked. With TLS a pending
// record may be a session ticket.
func idleAlive(u *upConn, _ int64) bool {
	if u.raw == nil {
		return true
	}
	p := peek(u.raw)
	return p == present || p == presentAhead && u.pool.tls != nil
}
