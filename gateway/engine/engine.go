package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// Engine serves clients of listeners and drives one exchange per request.
type Engine interface {
	// Serve accepts connections until the listener fails or the engine ends.
	// It may be called for several listeners. After Shutdown or Close it
	// returns ErrClosed. It closes ln.
	Serve(ln net.Listener) error
	// Shutdown drains: listeners and idle connections close, requests in
	// flight are answered with "Connection: close". When ctx ends first, what
	// is left is cancelled, settled and closed, and ctx's error is returned.
	Shutdown(ctx context.Context) error
	// Close cancels everything at once; exchanges settle before it returns.
	Close() error
	// Stats is a snapshot of the engine's connections.
	Stats() Stats
}

// ErrClosed is returned by Serve after Shutdown or Close.
var ErrClosed = errors.New("engine: closed")

// Stats counts connections.
type Stats struct {
	ClientConns     int64 // open now
	ClientAccepted  int64 // since the start
	ClientRefused   int64 // closed at once: Limits.MaxConns reached
	UpstreamConns   int64 // open now, idle ones included
	UpstreamIdle    int64 // idle now
	UpstreamDials   int64 // since the start
	UpstreamReused  int64 // attempts sent on a connection used before
	UpstreamRetried int64 // attempts sent again because an idle connection had died
	Panics          int64 // recovered; each is logged
}

// Options is what an engine is made of. Core and Rows are required.
type Options struct {
	// Core returns the core for the next request: the newest one. Requests
	// end on the core that they began on.
	Core func() *exchange.Core
	// Rows takes the request log's rows.
	Rows logrow.Appender
	// Now is Unix time in nanoseconds and never goes back. nil: NewClock().
	Now func() int64
	// Logger takes what concerns no single request. nil: slog.Default().
	Logger *slog.Logger
	// TLS makes the client side speak TLS. nil: plaintext.
	TLS *tls.Config
	// UpstreamTLS is the base of the client config for endpoints with TLS;
	// ServerName and NextProtos are set by the engine. nil: system roots.
	UpstreamTLS *tls.Config
}

// Complete checks the options and fills defaults in.
func (o Options) Complete() (Options, error) {
	if o.Core == nil || o.Core() == nil {
		return o, errors.New("engine: no core")
	}
	if o.Rows == nil {
		return o, errors.New("engine: no row appender")
	}
	if o.Now == nil {
		o.Now = NewClock()
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o, nil
}

// NewClock returns a clock in Unix nanoseconds that never goes back: the wall
// time of this call plus the monotonic time since.
func NewClock() func() int64 {
	start := time.Now()
	base := start.UnixNano()
	return func() int64 { return base + int64(time.Since(start)) }
}
