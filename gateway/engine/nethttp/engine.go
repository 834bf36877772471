package nethttp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/engine"
)

// Engine serves by http.Server. It implements engine.Engine and http.Handler.
type Engine struct {
	o      engine.Options
	srv    *http.Server
	ctx    context.Context // ends when the engine is killed
	cancel context.CancelFunc
	wg     sync.WaitGroup // exchanges
	slots  chan struct{}  // one per client connection; nil: no limit
	ups    upstreams

	conns, accepted, panics atomic.Int64
}

var (
	_ engine.Engine = (*Engine)(nil)
	_ http.Handler  = (*Engine)(nil)
)

// New makes an engine that serves nothing yet.
func New(opts engine.Options) (*Engine, error) {
	o, err := opts.Complete()
	if err != nil {
		return nil, err
	}
	e := &Engine{o: o}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.ups.init(o.UpstreamTLS)
	lim := o.Core().Limits()
	if lim.MaxConns > 0 {
		e.slots = make(chan struct{}, lim.MaxConns)
	}
	e.srv = &http.Server{
		Handler:           e,
		ReadHeaderTimeout: time.Duration(lim.HeadTimeoutNs),
		IdleTimeout:       time.Duration(lim.IdleTimeoutNs),
		MaxHeaderBytes:    lim.MaxHeadBytes,
		ConnState:         e.connState,
		BaseContext:       func(net.Listener) context.Context { return e.ctx },
		ErrorLog:          slog.NewLogLogger(o.Logger.Handler(), slog.LevelDebug),
	}
	if o.TLS != nil {
		e.srv.TLSConfig = o.TLS.Clone()
		e.srv.TLSConfig.NextProtos = []string{"h2", "http/1.1"}
	}
	return e, nil
}

// Serve accepts connections on ln until the listener fails or the engine ends.
func (e *Engine) Serve(ln net.Listener) error {
	if e.slots != nil {
		ln = &limited{Listener: ln, e: e}
	}
	var err error
	if e.srv.TLSConfig != nil {
		err = e.srv.ServeTLS(ln, "", "")
	} else {
		err = e.srv.Serve(ln)
	}
	if errors.Is(err, http.ErrServerClosed) {
		ln.Close()
		return engine.ErrClosed
	}
	return err
}

// Shutdown drains; see engine.Engine.
func (e *Engine) Shutdown(ctx context.Context) error {
	err := e.srv.Shutdown(ctx)
	if err != nil {
		e.Close()
		return err
	}
	e.wg.Wait()
	e.end()
	return nil
}

// Close cancels everything; see engine.Engine.
func (e *Engine) Close() error {
	e.cancel()
	err := e.srv.Close()
	e.wg.Wait()
	e.end()
	return err
}

func (e *Engine) end() {
	e.cancel()
	e.ups.closeIdle()
}

// Stats is a snapshot of the engine's connections. What the standard transport
// does not tell (idle connections, its own retries) is 0.
func (e *Engine) Stats() engine.Stats {
	return engine.Stats{
		ClientConns: e.conns.Load(), ClientAccepted: e.accepted.Load(), Panics: e.panics.Load(),
		UpstreamConns: e.ups.open.Load(), UpstreamDials: e.ups.dials.Load(), UpstreamReused: e.ups.reused.Load(),
	}
}

func (e *Engine) connState(_ net.Conn, s http.ConnState) {
	switch s {
	case http.StateNew:
		e.accepted.Add(1)
		e.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		e.conns.Add(-1)
	}
}

// limited holds accepting back while every slot is taken.
type limited struct {
	net.Listener
	e *Engine
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.e.slots <- struct{}{}:
	case <-l.e.ctx.Done():
		return nil, net.ErrClosed
	}
	nc, err := l.Listener.Accept()
	if err != nil {
		<-l.e.slots
		return nil, err
	}
	return &slotted{Conn: nc, free: func() { <-l.e.slots }}, nil
}

type slotted struct {
	net.Conn
	once sync.Once
	free func()
}

func (s *slotted) Close() error {
	s.once.Do(s.free)
	return s.Conn.Close()
}
