package epoll

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"

	"github.com/tollgate-lab/tollgate/gateway/engine"
)

// Engine is a set of loops, one for each listener that is served.
type Engine struct {
	o     engine.Options
	stats counters

	mu     sync.Mutex
	ended  bool
	loops  map[*loop]struct{}
	served sync.WaitGroup
}

// counters are written by loops and read by anybody.
type counters struct {
	clients, accepted, refused, upstreams, idle, dials, reused, retried, panics atomic.Int64
}

// New makes an engine. Options that need TLS are refused.
func New(o engine.Options) (engine.Engine, error) {
	o, err := o.Complete()
	if err != nil {
		return nil, err
	}
	if o.TLS != nil {
		return nil, errors.New("engine epoll: no TLS on the client side; end TLS in front of it, or use engine: conn")
	}
	for _, ep := range o.Core().Endpoints() {
		if ep.TLS {
			return nil, fmt.Errorf("engine epoll: provider %q has an https base_url, which needs engine: conn", ep.Name)
		}
	}
	return &Engine{o: o, loops: map[*loop]struct{}{}}, nil
}

// Serve implements engine.Engine: it runs a loop on the caller's goroutine.
func (e *Engine) Serve(ln net.Listener) error {
	defer ln.Close()
	tl, ok := ln.(*net.TCPListener)
	if !ok {
		return fmt.Errorf("engine epoll: listener %T is not TCP", ln)
	}
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		return engine.ErrClosed
	}
	l, err := newLoop(e, tl)
	if err != nil {
		e.mu.Unlock()
		return fmt.Errorf("engine epoll: %w", err)
	}
	e.loops[l] = struct{}{}
	e.served.Add(1)
	e.mu.Unlock()

	err = l.run()
	e.mu.Lock()
	delete(e.loops, l)
	e.mu.Unlock()
	e.served.Done()
	if err != nil {
		return fmt.Errorf("engine epoll: %w", err)
	}
	return engine.ErrClosed
}

// Shutdown implements engine.Engine.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.tell(message{kind: msgDrain})
	done := make(chan struct{})
	go func() { e.served.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		e.tell(message{kind: msgClose})
		<-done
		return ctx.Err()
	}
}

// Close implements engine.Engine.
func (e *Engine) Close() error {
	e.tell(message{kind: msgClose})
	e.served.Wait()
	return nil
}

func (e *Engine) tell(m message) {
	e.mu.Lock()
	e.ended = true
	for l := range e.loops {
		l.post(m)
	}
	e.mu.Unlock()
}

// Stats implements engine.Engine.
func (e *Engine) Stats() engine.Stats {
	s := &e.stats
	return engine.Stats{
		ClientConns: s.clients.Load(), ClientAccepted: s.accepted.Load(), ClientRefused: s.refused.Load(),
		UpstreamConns: s.upstreams.Load(), UpstreamIdle: s.idle.Load(), UpstreamDials: s.dials.Load(),
		UpstreamReused: s.reused.Load(), UpstreamRetried: s.retried.Load(), Panics: s.panics.Load(),
	}
}
