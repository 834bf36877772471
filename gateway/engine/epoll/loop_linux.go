package epoll

import (
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/wire"
)

const (
	batch      = 256       // events taken at once
	sharedRead = 256 << 10 // bytes of the read buffer that the sockets share
	gatherKeep = 256 << 10 // gather buffers above this are not kept
	sweepEvery = 100 * 1e6 // ns between looks at the time limits
	edge       = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET&0xffffffff
)

// sock is what an event is for: exactly one of c and u is set. gen tells the
// sockets that had one descriptor number one after another apart.
type sock struct {
	gen int32
	c   *client
	u   *upstream
}

// loop owns a listener and all sockets that come of it.
type loop struct {
	e      *Engine
	ep     int
	wakeFD int
	ln     *net.TCPListener
	lnFile *os.File
	lnFD   int32

	socks   []sock // by descriptor
	clients []*client
	free    []*client // ended ones, for reuse
	pools   map[poolKey]*pool

	now        int64
	nextSweep  int64
	resting    bool  // the listener is out of the loop
	complained int64 // when that was last said
	draining   bool
	closing    bool

	// Scratch memory of the event in hand.
	rbuf         []byte
	out          []byte // gathered output, of the client in hand from outAt on
	segs         []segment
	outAt, segAt int
	req          wire.Request
	resp         wire.Response
	acts         exchange.Actions
	ev           exchange.Event
	iov          [16]unix.Iovec
	date         dateCache

	// What the batch of events in hand has made to be sent (settle).
	asks []*upstream // requests
	owed []debt      // output to clients, in out

	inbox struct {
		sync.Mutex
		list, spare []message
		woken       bool
	}
}

type msgKind uint8

const (
	msgDrain msgKind = iota
	msgClose
	msgStored
	msgResolved
)

// message is what other goroutines tell a loop.
type message struct {
	kind msgKind
	c    *client
	err  error
	pool *pool
	addr []unix.Sockaddr
}

func newLoop(e *Engine, ln *net.TCPListener) (*loop, error) {
	f, err := ln.File()
	if err != nil {
		return nil, err
	}
	l := &loop{
		e: e, ln: ln, lnFile: f, lnFD: int32(f.Fd()), pools: map[poolKey]*pool{},
		rbuf: make([]byte, sharedRead), out: make([]byte, 0, 16<<10),
	}
	if err := unix.SetNonblock(int(l.lnFD), true); err != nil {
		f.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	if l.ep, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		f.Close()
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	if l.wakeFD, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK); err != nil {
		f.Close()
		unix.Close(l.ep)
		return nil, os.NewSyscallError("eventfd", err)
	}
	for _, fd := range []int{int(l.lnFD), l.wakeFD} {
		// The listener is level-triggered: what is not accepted in one turn is
		// told again.
		if err := unix.EpollCtl(l.ep, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd), Pad: -1}); err != nil {
			l.release()
			return nil, os.NewSyscallError("epoll_ctl", err)
		}
	}
	return l, nil
}

// release closes what the loop itself holds.
func (l *loop) release() {
	for _, p := range l.pools {
		for len(p.idle) > 0 {
			p.idle[len(p.idle)-1].end()
		}
	}
	l.lnFile.Close()
	unix.Close(l.wakeFD)
	unix.Close(l.ep)
}

// post hands m to the loop from any goroutine.
func (l *loop) post(m message) {
	l.inbox.Lock()
	l.inbox.list = append(l.inbox.list, m)
	wake := !l.inbox.woken
	l.inbox.woken = true
	l.inbox.Unlock()
	if wake {
		one := [8]byte{1}
		// The counter cannot overflow: it is read before it is written again.
		_, _ = unix.Write(l.wakeFD, one[:])
	}
}

func (l *loop) run() error {
	defer l.release()
	evs := make([]unix.EpollEvent, batch)
	for {
		n := pollNow(l.ep, evs)
		if n == 0 {
			var err error
			if n, err = unix.EpollWait(l.ep, evs, l.patience()); err != nil && err != unix.EINTR {
				return os.NewSyscallError("epoll_wait", err)
			}
		}
		l.now = l.e.o.Now()
		for i := range max(n, 0) {
			l.dispatch(&evs[i])
			if i%settleEvery == settleEvery-1 {
				l.settle()
			}
		}
		if l.now = l.e.o.Now(); l.now >= l.nextSweep {
			l.sweep()
		}
		l.settle()
		if (l.draining || l.closing) && len(l.clients) == 0 {
			return nil
		}
	}
}

// patience is how many milliseconds the loop may wait for events.
func (l *loop) patience() int {
	if len(l.clients) == 0 && len(l.pools) == 0 && !l.resting {
		return 1000
	}
	return max(1, int((l.nextSweep-l.e.o.Now()+999_999)/1e6))
}

func (l *loop) dispatch(ev *unix.EpollEvent) {
	switch {
	case ev.Pad == -1 && ev.Fd == l.lnFD:
		l.accept()
		return
	case ev.Pad == -1:
		l.readInbox()
		return
	}
	s := &l.socks[ev.Fd]
	if s.gen != ev.Pad {
		return // of a socket closed earlier in this batch
	}
	l.now = l.e.o.Now()
	switch {
	case s.c != nil:
		defer l.rescue(s.c)
		s.c.ready(ev.Events)
	case s.u != nil:
		defer l.rescue(s.u.c)
		s.u.ready(ev.Events)
	}
}

// watch puts a socket into the loop. Its slot is the caller's to fill.
func (l *loop) watch(fd int32) (*sock, error) {
	for int(fd) >= len(l.socks) {
		l.socks = append(l.socks, sock{})
	}
	s := &l.socks[fd]
	s.gen = (s.gen + 1) & 0x3fffffff
	s.c, s.u = nil, nil
	err := unix.EpollCtl(l.ep, unix.EPOLL_CTL_ADD, int(fd), &unix.EpollEvent{Events: edge, Fd: fd, Pad: s.gen})
	return s, os.NewSyscallError("epoll_ctl", err)
}

// unwatch closes a socket; events of it that are still in the batch go nowhere.
func (l *loop) unwatch(fd int32) {
	s := &l.socks[fd]
	s.gen = (s.gen + 1) & 0x3fffffff
	s.c, s.u = nil, nil
	unix.Close(int(fd))
}

func (l *loop) readInbox() {
	var b [8]byte
	_, _ = unix.Read(l.wakeFD, b[:])
	l.inbox.Lock()
	list := l.inbox.list
	l.inbox.list, l.inbox.spare = l.inbox.spare[:0], list
	l.inbox.woken = false
	l.inbox.Unlock()
	for i := range list {
		m := &list[i]
		l.now = l.e.o.Now()
		switch m.kind {
		case msgStored:
			m.c.stored(m.err)
		case msgResolved:
			m.pool.resolved(m.addr, m.err)
		case msgDrain:
			l.drain()
		case msgClose:
			l.closeAll()
		}
		list[i] = message{}
	}
}

// drain stops accepting, closes idle clients and lets the rest finish.
func (l *loop) drain() {
	if l.draining {
		return
	}
	l.draining = true
	_ = unix.EpollCtl(l.ep, unix.EPOLL_CTL_DEL, int(l.lnFD), nil)
	l.ln.Close()
	l.lnFile.Close() // the same socket by another descriptor: both must go
	for i := len(l.clients) - 1; i >= 0; i-- {
		if c := l.clients[i]; c.phase == phaseIdle && len(c.hold) == 0 {
			c.close()
		}
	}
}

func (l *loop) closeAll() {
	l.drain()
	l.closing = true
	for i := len(l.clients) - 1; i >= 0; i-- {
		l.clients[i].cancel()
	}
}

// rest stops accepting until the next sweep: what cannot be accepted stays
// ready, and asking again at once would only spin.
func (l *loop) rest(err error) {
	l.resting = true
	_ = unix.EpollCtl(l.ep, unix.EPOLL_CTL_DEL, int(l.lnFD), nil)
	if l.now-l.complained > 1e9 {
		l.complained = l.now
		l.e.o.Logger.Warn("a new client cannot be accepted now; raise the limit of open files", "error", err)
	}
}

// resume accepts again after a rest.
func (l *loop) resume() {
	if l.resting && !l.draining {
		l.resting = false
		_ = unix.EpollCtl(l.ep, unix.EPOLL_CTL_ADD, int(l.lnFD), &unix.EpollEvent{Events: unix.EPOLLIN, Fd: l.lnFD, Pad: -1})
	}
}

// accept takes what waits, up to a batch at a time.
func (l *loop) accept() {
	limit := l.e.o.Core().Limits().MaxConns
	for range batch {
		fd, _, err := unix.Accept4(int(l.lnFD), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			if err == unix.EMFILE || err == unix.ENFILE || err == unix.ENOBUFS || err == unix.ENOMEM {
				l.rest(err)
			}
			return
		}
		l.e.stats.accepted.Add(1)
		if limit > 0 && l.e.stats.clients.Load() >= int64(limit) {
			l.e.stats.refused.Add(1)
			unix.Close(fd)
			continue
		}
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		s, err := l.watch(int32(fd))
		if err != nil {
			l.e.o.Logger.Warn("client not served", "error", err)
			unix.Close(fd)
			continue
		}
		var c *client
		if n := len(l.free); n > 0 {
			c, l.free = l.free[n-1], l.free[:n-1]
		} else {
			c = &client{l: l}
		}
		c.begin(int32(fd))
		s.c = c
		l.e.stats.clients.Add(1)
	}
}

// dateCache is the value of the Date field, rendered once a second.
type dateCache struct {
	second int64
	text   [len("Mon, 02 Jan 2006 15:04:05 GMT")]byte
}

func (d *dateCache) at(now int64) []byte {
	if s := now / 1e9; s != d.second {
		d.second = s
		time.Unix(s, 0).UTC().AppendFormat(d.text[:0], "Mon, 02 Jan 2006 15:04:05 GMT")
	}
	return d.text[:]
}

func wireLimits(lim *exchange.Limits) wire.Limits {
	return wire.Limits{Bytes: lim.MaxHeadBytes, Fields: lim.MaxHeadFields}
}
