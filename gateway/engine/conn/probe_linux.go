//go:build linux

package conn

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// prober looks at connections by poll(2). It belongs to one goroutine.
type prober struct {
	fds  [1]unix.PollFd
	seen presence
	call func(fd uintptr) // bound once: no allocation per look
}

func newProber() *prober {
	p := &prober{}
	p.call = p.poll
	return p
}

func (p *prober) look(raw syscall.RawConn) presence {
	p.seen = present
	if err := raw.Control(p.call); err != nil {
		return present // closed by its own goroutine
	}
	return p.seen
}

func (p *prober) poll(fd uintptr) {
	p.fds[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN | unix.POLLRDHUP}
	n, err := unix.Poll(p.fds[:], 0)
	if err != nil || n == 0 {
		return
	}
	got := p.fds[0].Revents
	switch {
	case got&(unix.POLLHUP|unix.POLLERR) != 0:
		p.seen = gone
	case got&unix.POLLRDHUP != 0:
		p.seen = shutWriting
		if n, err := unix.IoctlGetInt(int(fd), unix.SIOCINQ); err == nil && n > 0 {
			p.seen = presentAhead
		}
	case got&unix.POLLIN != 0:
		p.seen = presentAhead
	}
}
