package conn

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// Engine serves HTTP/1.1. It implements engine.Engine.
type Engine struct {
	o    engine.Options
	tls  *tls.Config
	base int64 // the engine's start, Unix ns

	ctx    context.Context // ends when the engine is killed: dials give up
	cancel context.CancelFunc

	mu        sync.Mutex
	conns     []*conn
	listeners map[net.Listener]struct{}
	pools     map[exchange.Endpoint]*pool
	sweeping  bool
	wg        sync.WaitGroup // goroutines of connections

	draining atomic.Bool
	killed   atomic.Bool
	coarse   atomic.Int64           // now, as of the last tick
	date     atomic.Pointer[[]byte] // value of the Date field
	buffers  sync.Pool              // of *buffer

	accepted, refused, panics      atomic.Int64
	dials, reused, retried, upOpen atomic.Int64
}

var _ engine.Engine = (*Engine)(nil)

// bufferSize is what an upstream is read with, in bytes: most answers and
// every burst of a stream fit.
const bufferSize = 16 << 10

type buffer [bufferSize]byte

// New makes an engine that serves nothing yet.
func New(opts engine.Options) (*Engine, error) {
	o, err := opts.Complete()
	if err != nil {
		return nil, err
	}
	e := &Engine{
		o:         o,
		listeners: map[net.Listener]struct{}{},
		pools:     map[exchange.Endpoint]*pool{},
	}
	if o.TLS != nil {
		e.tls = o.TLS.Clone()
		e.tls.NextProtos = []string{"http/1.1"}
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.buffers.New = func() any { return new(buffer) }
	e.base = o.Now()
	e.tick(e.base)
	return e, nil
}

// Serve accepts connections on ln until the listener fails or the engine ends.
func (e *Engine) Serve(ln net.Listener) error {
	defer ln.Close()
	if !e.track(ln) {
		return engine.ErrClosed
	}
	defer e.untrack(ln)
	var wait time.Duration
	for {
		nc, err := ln.Accept()
		if err != nil {
			if e.draining.Load() {
				return engine.ErrClosed
			}
			if ne, ok := err.(net.Error); !ok || !ne.Timeout() && !exhausted(err) {
				return err
			}
			// Out of descriptors, or the like: those in use must end first.
			wait = min(max(2*wait, 5*time.Millisecond), time.Second)
			e.o.Logger.Warn("accept failed, will retry", "err", err, "wait", wait)
			if !e.pause(wait) {
				return engine.ErrClosed
			}
			continue
		}
		wait = 0
		e.accept(nc)
	}
}

// pause waits, unless the engine is killed first.
func (e *Engine) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return !e.draining.Load()
	case <-e.ctx.Done():
		return false
	}
}

func (e *Engine) track(ln net.Listener) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.draining.Load() {
		return false
	}
	e.listeners[ln] = struct{}{}
	if !e.sweeping {
		e.sweeping = true
		e.tick(e.o.Now())
		go e.sweep()
	}
	return true
}

func (e *Engine) untrack(ln net.Listener) {
	e.mu.Lock()
	delete(e.listeners, ln)
	e.mu.Unlock()
}

// accept starts the goroutine of a connection, or closes it when there are too many.
func (e *Engine) accept(nc net.Conn) {
	limit := e.o.Core().Limits().MaxConns
	c := newConn(e, nc)
	e.mu.Lock()
	if e.draining.Load() || limit > 0 && len(e.conns) >= limit {
		e.mu.Unlock()
		e.refused.Add(1)
		nc.Close()
		return
	}
	c.slot = len(e.conns)
	e.conns = append(e.conns, c)
	e.wg.Add(1)
	e.mu.Unlock()
	e.accepted.Add(1)
	go c.serve()
}

func (e *Engine) remove(c *conn) {
	e.mu.Lock()
	last := len(e.conns) - 1
	e.conns[c.slot] = e.conns[last]
	e.conns[c.slot].slot = c.slot
	e.conns[last] = nil
	e.conns = e.conns[:last]
	e.mu.Unlock()
	e.wg.Done()
}

// Shutdown drains; see engine.Engine.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.stopAccepting()
	done := make(chan struct{})
	go func() { e.wg.Wait(); close(done) }()
	select {
	case <-done:
		e.end()
		return nil
	case <-ctx.Done():
	}
	e.kill(done)
	return ctx.Err()
}

// Close cancels everything; see engine.Engine.
func (e *Engine) Close() error {
	e.stopAccepting()
	done := make(chan struct{})
	go func() { e.wg.Wait(); close(done) }()
	e.kill(done)
	return nil
}

func (e *Engine) stopAccepting() {
	e.mu.Lock()
	e.draining.Store(true)
	for ln := range e.listeners {
		ln.Close()
	}
	for _, c := range e.conns {
		c.pushIdle()
	}
	e.mu.Unlock()
}

// kill pushes every goroutine out of what it waits for until all have settled.
// It is repeated because a goroutine may be between two calls.
func (e *Engine) kill(done <-chan struct{}) {
	e.killed.Store(true)
	e.cancel()
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for {
		e.mu.Lock()
		for _, c := range e.conns {
			c.pushAll()
		}
		e.mu.Unlock()
		select {
		case <-done:
			e.end()
			return
		case <-t.C:
		}
	}
}

// end closes what outlives connections: idle upstream connections, the sweeper.
func (e *Engine) end() {
	e.cancel()
	e.mu.Lock()
	pools := make([]*pool, 0, len(e.pools))
	for _, p := range e.pools {
		pools = append(pools, p)
	}
	e.mu.Unlock()
	for _, p := range pools {
		p.closeIdle(int64(1) << 62)
	}
}

// Stats is a snapshot of the engine's connections.
func (e *Engine) Stats() engine.Stats {
	s := engine.Stats{
		ClientAccepted: e.accepted.Load(), ClientRefused: e.refused.Load(), Panics: e.panics.Load(),
		UpstreamConns: e.upOpen.Load(), UpstreamDials: e.dials.Load(),
		UpstreamReused: e.reused.Load(), UpstreamRetried: e.retried.Load(),
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	s.ClientConns = int64(len(e.conns))
	for _, p := range e.pools {
		s.UpstreamIdle += int64(p.idleCount())
	}
	return s
}

// poolsOf are the pools of a core's endpoints, in their order. An endpoint
// that stays the same from one config to the next keeps its pool.
func (e *Engine) poolsOf(c *exchange.Core) []*pool {
	e.mu.Lock()
	defer e.mu.Unlock()
	var ps []*pool
	for _, ep := range c.Endpoints() {
		p := e.pools[ep]
		if p == nil {
			p = newPool(e, ep)
			e.pools[ep] = p
		}
		ps = append(ps, p)
	}
	return ps
}
