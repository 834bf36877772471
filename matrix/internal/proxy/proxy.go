package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/child"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
)

// Options says what to start.
type Options struct {
	Name     string // Nginx or Haproxy
	File     string // the program, from Find
	Upstream string // host:port of what it forwards to
	Dir      string // existing folder for its config and what it writes
	Workers  int    // 1 to 64: nginx processes, haproxy threads
	// Unbuffered passes an answer on as it comes, for streams whose frames are
	// sent one by one. False: answers are buffered.
	Unbuffered bool
	// BodyBytes is the size of the largest request body. 0: not known, so
	// buffers of 1 MiB.
	BodyBytes int
}

// Proxy is a running one.
type Proxy struct {
	*child.Process
	listen string
}

// Addr is the loopback address that it listens on.
func (p *Proxy) Addr() string { return p.listen }

// Close ends it and waits. A master that executes itself anew, as haproxy's does
// once its worker serves, catches no signal for a moment: an end by the very
// signal that asked for it is a good end.
func (p *Proxy) Close() error {
	err := p.Stop()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.String() == "signal: terminated" {
		return nil
	}
	return err
}

// upTimeout bounds the wait for the first accepted connection.
const upTimeout = 10 * time.Second

// lookEvery is the pause between two tries to connect.
const lookEvery = 2 * time.Millisecond

// errEarlyEnd is a proxy that ended before it accepted.
var errEarlyEnd = errors.New("ended at start")

// Start writes the config, starts the proxy on a free loopback port and waits
// until it is up. A connection is all that is tried: a request would be
// counted by the mock.
func Start(ctx context.Context, o Options) (*Proxy, error) {
	k, ok := kindOf(o.Name)
	if !ok {
		return nil, fmt.Errorf("start proxy: no %q is known, only %q", o.Name, Names())
	}
	var err error
	for range 3 { // a port that was free may be taken before the proxy binds it
		var p *Proxy
		if p, err = try(ctx, k, &o); err == nil {
			return p, nil
		}
		if ctx.Err() != nil || !errors.Is(err, errEarlyEnd) {
			break
		}
	}
	return nil, err
}

func try(ctx context.Context, k kind, o *Options) (*Proxy, error) {
	listen, err := child.FreeAddr()
	if err != nil {
		return nil, err
	}
	text, err := config(k.conf, o, listen)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(o.Dir, k.conf)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, fmt.Errorf("%s config: %w", o.Name, err)
	}
	c, err := child.Start(child.Options{Name: o.Name, File: o.File, Args: k.args(o.Dir, path)})
	if err != nil {
		return nil, err
	}
	p := &Proxy{Process: c, listen: listen}
	if err := p.awaitUp(ctx, k.processes(max(o.Workers, 1))); err != nil {
		p.Kill()
		return nil, err
	}
	return p, nil
}

// awaitUp waits until the proxy accepts and its tree has as many processes as it
// will have: a master listens before it has workers, and a worker that comes
// later would be missed by whoever reads the tree's CPU time.
func (p *Proxy) awaitUp(ctx context.Context, processes int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, upTimeout, fmt.Errorf("within %v", upTimeout))
	defer cancel()
	t := time.NewTicker(lookEvery)
	defer t.Stop()
	accepts := false
	for {
		if !accepts {
			var d net.Dialer
			if c, err := d.DialContext(ctx, "tcp", p.listen); err == nil {
				accepts = true
				if err := c.Close(); err != nil {
					return p.Fault("first connection: %w", err)
				}
			}
		}
		if accepts {
			pids, err := proc.Tree(p.PID())
			if errors.Is(err, proc.ErrUnsupported) || len(pids) >= processes {
				return nil
			}
		}
		select {
		case <-p.Exited():
			return p.Fault("%w: %v", errEarlyEnd, p.Err())
		case <-ctx.Done():
			return p.Fault("not up with %d processes: %w", processes, context.Cause(ctx))
		case <-t.C:
		}
	}
}
