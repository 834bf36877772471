package conn

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

const (
	// defaultMaxIdle is the number of idle connections that are kept per
	// endpoint when it states none.
	defaultMaxIdle = 512
	// checkIdleNs is how long a connection may be idle and still be used
	// without a look: a look costs a system call, and under load a connection
	// waits for less than this. A POST that meets a close is not sent again, so
	// an upstream that closes soon after its answers needs the look.
	checkIdleNs = int64(5 * time.Millisecond)
	// defaultDial bounds a dial that states no limit.
	defaultDial = 30 * time.Second
)

// upConn is a connection to an upstream. It has one owner: an attempt, or the
// pool's stack.
type upConn struct {
	nc   net.Conn
	raw  syscall.RawConn
	pool *pool
	idle int64 // since, Unix ns

	peeker *peeker // made by the first look
}

// pool is the connections to one endpoint. The one used last is used first, so
// that the rest grow old and are closed.
type pool struct {
	e       *Engine
	ep      exchange.Endpoint
	tls     *tls.Config
	maxIdle int

	mu    sync.Mutex
	stack []*upConn
	open  int // idle, in use and being dialled
}

var errOverloaded = errors.New("connection limit of the endpoint reached")

func newPool(e *Engine, ep exchange.Endpoint) *pool {
	p := &pool{e: e, ep: ep, maxIdle: ep.MaxIdle}
	if p.maxIdle <= 0 {
		p.maxIdle = defaultMaxIdle
	}
	if ep.TLS {
		p.tls = &tls.Config{}
		if e.o.UpstreamTLS != nil {
			p.tls = e.o.UpstreamTLS.Clone()
		}
		if p.tls.ServerName == "" {
			p.tls.ServerName = hostOnly(ep.Host)
		}
		p.tls.NextProtos = []string{"http/1.1"}
		if ep.Roots != "" {
			p.tls.RootCAs = x509.NewCertPool()
			p.tls.RootCAs.AppendCertsFromPEM([]byte(ep.Roots))
		}
	}
	return p
}

func hostOnly(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return hostport
	}
	return host
}

// get returns an idle connection, or dials. fresh asks for a new one.
func (p *pool) get(now, timeoutNs int64, fresh bool) (u *upConn, reused bool, err error) {
	for {
		p.mu.Lock()
		n := len(p.stack)
		if n == 0 || fresh {
			if p.ep.MaxConns > 0 && p.open >= p.ep.MaxConns {
				if n == 0 {
					p.mu.Unlock()
					return nil, false, errOverloaded
				}
				// A fresh one is asked for and there is no room: the oldest idle one makes it.
				u = p.stack[0]
				p.stack = append(p.stack[:0], p.stack[1:]...)
				p.mu.Unlock()
				p.close(u)
				continue
			}
			p.open++
			p.mu.Unlock()
			u, err = p.dial(timeoutNs)
			return u, false, err
		}
		u = p.stack[n-1]
		p.stack[n-1] = nil
		p.stack = p.stack[:n-1]
		p.mu.Unlock()
		if age := now - u.idle; age < checkIdleNs || idleAlive(u, age) {
			p.e.reused.Add(1)
			return u, true, nil
		}
		p.close(u)
	}
}

// dial connects; open counts it already. Names are resolved now.
func (p *pool) dial(timeoutNs int64) (*upConn, error) {
	p.e.dials.Add(1)
	timeout := defaultDial
	if timeoutNs > 0 {
		timeout = time.Duration(timeoutNs)
	}
	ctx, cancel := context.WithTimeout(p.e.ctx, timeout)
	defer cancel()
	nc, err := p.connect(ctx)
	if err != nil {
		p.forget()
		return nil, err
	}
	u := &upConn{nc: nc, raw: rawOf(nc), pool: p}
	if p.tls != nil {
		tc := tls.Client(nc, p.tls)
		if err := tc.HandshakeContext(ctx); err != nil {
			nc.Close()
			p.forget()
			return nil, err
		}
		u.nc = tc
	}
	p.e.upOpen.Add(1)
	return u, nil
}

// connect opens a TCP connection to the endpoint, or a tunnel through its
// proxy.
func (p *pool) connect(ctx context.Context) (net.Conn, error) {
	var d net.Dialer // TCP_NODELAY is Go's default
	if p.ep.Proxy == "" {
		return d.DialContext(ctx, "tcp", p.ep.Host)
	}
	nc, err := d.DialContext(ctx, "tcp", p.ep.Proxy)
	if err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	unhook := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Unix(1, 0)) })
	err = tunnel(nc, &p.ep)
	if !unhook() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

func (p *pool) forget() {
	p.mu.Lock()
	p.open--
	p.mu.Unlock()
}

// put takes a connection back whose last answer was read whole.
func (p *pool) put(u *upConn, now int64) {
	u.idle = now
	p.mu.Lock()
	if len(p.stack) < p.maxIdle && !p.e.draining.Load() {
		p.stack = append(p.stack, u)
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()
	p.close(u)
}

func (p *pool) close(u *upConn) {
	u.nc.Close()
	p.e.upOpen.Add(-1)
	p.forget()
}

// closeIdle closes connections that have been idle since before a time.
func (p *pool) closeIdle(before int64) {
	p.mu.Lock()
	n := 0
	for n < len(p.stack) && p.stack[n].idle < before {
		n++
	}
	old := append([]*upConn(nil), p.stack[:n]...)
	if n > 0 {
		p.stack = append(p.stack[:0], p.stack[n:]...)
	}
	p.mu.Unlock()
	for _, u := range old {
		p.close(u)
	}
}

func (p *pool) idleCount() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.stack)
}
