package mockupstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Options say where a Server listens and what it bounds.
type Options struct {
	// Listen is the address that requests come to, such as 127.0.0.1:9090.
	// Empty means a free port of 127.0.0.1.
	Listen string
	// Control is the address of the control port, likewise.
	Control string
	// Script is the first script; its zero value is the default one.
	Script Script
	// StampCapacity is how many stamps are kept between resets, rounded up to
	// blocks of 256; later ones are counted as lost. 0 means 2,097,152
	// (112 MiB, taken as they fill); negative keeps none.
	StampCapacity int
	// MaxHeadBytes bounds a request's line and headers; 0 means 32 KiB.
	MaxHeadBytes int
	// MaxBodyBytes bounds a request's body; 0 means 64 MiB.
	MaxBodyBytes int64
}

func (o Options) filled() Options {
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	if o.Control == "" {
		o.Control = "127.0.0.1:0"
	}
	if o.StampCapacity == 0 {
		o.StampCapacity = 1 << 21
	}
	if o.MaxHeadBytes == 0 {
		o.MaxHeadBytes = 32 << 10
	}
	if o.MaxBodyBytes == 0 {
		o.MaxBodyBytes = 64 << 20
	}
	return o
}

// Server is the mock. Make one with New.
type Server struct {
	opts   Options
	script atomic.Pointer[compiled]
	shards shardPool

	ln      net.Listener
	control net.Listener
	http    *http.Server
	wg      sync.WaitGroup
	done    chan struct{}

	mu      sync.Mutex // guards what follows
	started bool
	closed  bool
	conns   map[*conn]struct{}
}

// New makes a server that does not listen yet.
func New(o Options) (*Server, error) {
	o = o.filled()
	if o.MaxHeadBytes < 0 || o.MaxBodyBytes < 0 {
		return nil, fmt.Errorf("mockupstream: limits of %d head and %d body bytes: want 0 or more", o.MaxHeadBytes, o.MaxBodyBytes)
	}
	cs, err := compile(o.Script)
	if err != nil {
		return nil, fmt.Errorf("mockupstream: %w", err)
	}
	s := &Server{opts: o, done: make(chan struct{}), conns: make(map[*conn]struct{})}
	s.shards.stamps = newStampPool(max(o.StampCapacity, 0))
	s.script.Store(cs)
	return s, nil
}

// Start binds both addresses and begins to serve.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started || s.closed {
		return errors.New("mockupstream: started before")
	}
	// Probes on idle connections would be system calls in the measurement.
	lc := net.ListenConfig{KeepAlive: -1}
	ln, err := lc.Listen(context.Background(), "tcp", s.opts.Listen)
	if err != nil {
		return fmt.Errorf("mockupstream: %w", err)
	}
	control, err := lc.Listen(context.Background(), "tcp", s.opts.Control)
	if err != nil {
		_ = ln.Close()
		return fmt.Errorf("mockupstream: control port: %w", err)
	}
	s.ln, s.control, s.started = ln, control, true
	s.http = &http.Server{Handler: s.controlHandler(), ReadHeaderTimeout: 10 * time.Second}
	s.wg.Go(s.accept)
	s.wg.Go(func() { _ = s.http.Serve(control) })
	return nil
}

// Addr is the bound address that requests come to, "" before Start.
func (s *Server) Addr() string { return boundAddr(s.ln) }

// ControlAddr is the bound address of the control port, "" before Start.
func (s *Server) ControlAddr() string { return boundAddr(s.control) }

func boundAddr(ln net.Listener) string {
	if ln == nil {
		return ""
	}
	return ln.Addr().String()
}

// Script is the script in force, its defaults written out.
func (s *Server) Script() Script { return s.script.Load().script }

// SetScript replaces the script. Answers under way end under the old one; the
// new one's sequences (every Nth, seeds) begin anew.
func (s *Server) SetScript(sc Script) error {
	cs, err := compile(sc)
	if err != nil {
		return fmt.Errorf("mockupstream: %w", err)
	}
	s.script.Store(cs)
	return nil
}

// Close stops listening, ends all connections where they are and waits for
// their goroutines. The ground truth can still be read. Later calls do
// nothing.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.done)
	for c := range s.conns {
		c.stop()
	}
	s.mu.Unlock()
	var err error
	if s.ln != nil {
		err = errors.Join(s.ln.Close(), s.http.Close())
	}
	s.wg.Wait()
	if err != nil {
		return fmt.Errorf("mockupstream: close: %w", err)
	}
	return nil
}

// acceptPause is the pause after a failed accept, which is usually a lack of
// descriptors that only other connections' ends can cure.
const acceptPause = 5 * time.Millisecond

func (s *Server) accept() {
	for {
		nc, err := s.ln.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			select {
			case <-s.done:
				return
			case <-time.After(acceptPause):
			}
			continue
		}
		if tcp, ok := nc.(*net.TCPConn); ok {
			_ = tcp.SetNoDelay(true) // Go's default; the lab depends on it
		}
		s.serve(nc)
	}
}

// serve begins to serve a connection on a goroutine of its own.
func (s *Server) serve(nc net.Conn) {
	c := newConn(s, nc, s.shards.take())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = nc.Close()
		s.shards.put(c.shard)
		return
	}
	c.shard.connected()
	s.conns[c] = struct{}{}
	s.wg.Go(func() {
		c.serve()
		s.mu.Lock()
		delete(s.conns, c)
		s.mu.Unlock()
		s.shards.put(c.shard)
	})
}
