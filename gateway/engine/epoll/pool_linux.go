package epoll

import (
	"context"
	"math"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

const (
	defaultMaxIdle = 1024
	idleMaxNs      = 60e9 // an idle upstream connection is kept this long
	addrsForNs     = 30e9 // the addresses of a name are looked up again after this
	lookUpLimit    = 10 * time.Second
)

type unixErrno = syscall.Errno

type poolKey struct{ host, head string }

// pool is the connections to one endpoint.
type pool struct {
	l        *loop
	host     string
	hostHead string
	max      int
	maxIdle  int
	open     int // all connections
	idle     []*upstream

	addrs   []unix.Sockaddr
	addrsAt int64
	looking bool
	waiting []*upstream // for the addresses
}

func (l *loop) poolFor(ep *exchange.Endpoint) *pool {
	key := poolKey{ep.Host, ep.HostHead}
	p := l.pools[key]
	if p == nil {
		p = &pool{l: l, host: ep.Host, hostHead: ep.HostHead}
		l.pools[key] = p
	}
	if p.max, p.maxIdle = ep.MaxConns, ep.MaxIdle; p.maxIdle == 0 {
		p.maxIdle = defaultMaxIdle
	}
	return p
}

// take returns the connection that was used last, nil when none is idle.
func (p *pool) take() *upstream {
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	u := p.idle[n-1]
	p.idle = p.idle[:n-1]
	p.l.e.stats.idle.Add(-1)
	u.reused = true
	return u
}

// put keeps a connection for the next attempt.
func (p *pool) put(u *upstream) {
	if u.c != nil && u.c.up == u {
		u.c.up = nil
	}
	u.c, u.core, u.req = nil, nil, nil
	if len(p.idle) >= p.maxIdle || p.l.closing {
		u.end()
		return
	}
	u.phase, u.since, u.index = upIdle, p.l.now, len(p.idle)
	p.idle = append(p.idle, u)
	p.l.e.stats.idle.Add(1)
}

// forget takes a connection out of the idle ones.
func (p *pool) forget(u *upstream) {
	for i, v := range p.idle {
		if v == u {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			p.l.e.stats.idle.Add(-1)
			return
		}
	}
}

// dial opens a connection for an attempt.
func (p *pool) dial(c *client, attempt int, req *exchange.Upstream) exchange.UpstreamFault {
	if p.max > 0 && p.open >= p.max {
		return exchange.FaultOverloaded
	}
	u := &upstream{l: p.l, p: p, fd: -1, phase: upConnecting, since: p.l.now}
	p.open++
	p.l.e.stats.upstreams.Add(1)
	p.l.e.stats.dials.Add(1)
	u.assign(c, attempt, req)
	if len(p.addrs) > 0 && p.l.now-p.addrsAt < addrsForNs {
		return u.connect()
	}
	if sa, ok := literal(p.host); ok {
		p.addrs, p.addrsAt = []unix.Sockaddr{sa}, math.MaxInt64
		return u.connect()
	}
	p.waiting = append(p.waiting, u)
	if !p.looking {
		p.looking = true
		go p.lookUp()
	}
	return exchange.FaultNone
}

// lookUp runs beside the loop: a name server may take its time.
func (p *pool) lookUp() {
	ctx, cancel := context.WithTimeout(context.Background(), lookUpLimit)
	defer cancel()
	host, port, err := net.SplitHostPort(p.host)
	if err != nil {
		p.l.post(message{kind: msgResolved, pool: p, err: err})
		return
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	n, perr := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	if err == nil {
		err = perr
	}
	var addrs []unix.Sockaddr
	for _, ip := range ips {
		addrs = append(addrs, sockaddr(netip.AddrPortFrom(ip.Unmap(), uint16(n))))
	}
	p.l.post(message{kind: msgResolved, pool: p, addr: addrs, err: err})
}

// resolved goes on with the attempts that wait for addresses.
func (p *pool) resolved(addrs []unix.Sockaddr, err error) {
	p.looking = false
	if err == nil && len(addrs) > 0 {
		p.addrs, p.addrsAt = addrs, p.l.now
	}
	waiting := p.waiting
	p.waiting = nil
	for _, u := range waiting {
		c := u.c
		if u.phase == upClosed || c == nil {
			continue
		}
		f := exchange.FaultConnect
		if len(p.addrs) > 0 {
			f = u.connect()
		} else {
			u.end()
		}
		if f != exchange.FaultNone {
			u.tell(c, f)
			c.after()
		}
	}
}

// connect tries the addresses in turn, from u.addr on.
func (u *upstream) connect() exchange.UpstreamFault {
	for ; u.addr < len(u.p.addrs); u.addr++ {
		sa := u.p.addrs[u.addr]
		family := unix.AF_INET
		if _, six := sa.(*unix.SockaddrInet6); six {
			family = unix.AF_INET6
		}
		fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			break
		}
		_ = unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
		err = unix.Connect(fd, sa)
		if err != nil && err != unix.EINPROGRESS {
			unix.Close(fd)
			continue
		}
		s, err := u.l.watch(int32(fd))
		if err != nil {
			unix.Close(fd)
			break
		}
		s.u, u.fd = u, int32(fd)
		u.phase = upConnecting
		return exchange.FaultNone
	}
	u.end()
	return exchange.FaultConnect
}

// connected is told that the attempt to connect has ended.
func (u *upstream) connected() {
	c := u.c
	soErr, err := unix.GetsockoptInt(int(u.fd), unix.SOL_SOCKET, unix.SO_ERROR)
	f := exchange.FaultNone
	if err != nil || soErr != 0 {
		u.l.unwatch(u.fd)
		u.fd = -1
		u.addr++
		u.shut = false
		f = u.connect()
	} else {
		u.addr = 0
		f = u.send()
	}
	if f != exchange.FaultNone {
		u.tell(c, f)
	}
}

func literal(host string) (unix.Sockaddr, bool) {
	h, port, err := net.SplitHostPort(host)
	if err != nil {
		return nil, false
	}
	ip, err := netip.ParseAddr(h)
	n, perr := strconv.ParseUint(port, 10, 16)
	if err != nil || perr != nil {
		return nil, false
	}
	return sockaddr(netip.AddrPortFrom(ip.Unmap(), uint16(n))), true
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: a.Addr().As4()}
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}
}
