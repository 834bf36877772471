package conn

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

type noRows struct{}

func (noRows) Append(*logrow.Row, logrow.Completion) bool { return false }

func (noRows) Awaits() bool { return false }

// poolBefore is a pool, and the connections that its listener accepted.
func poolBefore(t *testing.T, maxConns, maxIdle int) (*pool, chan net.Conn) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	accepted := make(chan net.Conn, 16)
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	core, err := exchange.NewCore(exchange.Deps{
		Snapshot: &exchange.Snapshot{AnyModel: -1},
		NewID:    func([]byte) int { return 1 },
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(engine.Options{
		Core: func() *exchange.Core { return core }, Rows: noRows{},
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return newPool(e, exchange.Endpoint{Host: ln.Addr().String(), MaxConns: maxConns, MaxIdle: maxIdle}), accepted
}

func (p *pool) mustGet(t *testing.T, now int64, fresh bool) (*upConn, bool) {
	t.Helper()
	u, reused, err := p.get(now, 0, fresh)
	if err != nil {
		t.Fatal(err)
	}
	return u, reused
}

func TestPoolLastInFirstOut(t *testing.T) {
	p, _ := poolBefore(t, 0, 0)
	a, _ := p.mustGet(t, 0, false)
	b, _ := p.mustGet(t, 0, false)
	p.put(a, 1)
	p.put(b, 2)
	if got, reused := p.mustGet(t, 3, false); got != b || !reused {
		t.Error("not the one that was used last")
	}
	if got, _ := p.mustGet(t, 3, true); got == a {
		t.Error("a fresh one was asked for")
	}
	p.closeIdle(2)
	if p.idleCount() != 0 || p.open != 2 {
		t.Errorf("%d idle, %d open after closing the old", p.idleCount(), p.open)
	}
}

func TestPoolLimits(t *testing.T) {
	p, _ := poolBefore(t, 2, 1)
	a, _ := p.mustGet(t, 0, false)
	b, _ := p.mustGet(t, 0, false)
	if _, _, err := p.get(0, 0, false); !errors.Is(err, errOverloaded) {
		t.Errorf("third connection: %v", err)
	}
	p.put(a, 0)
	if got, reused := p.mustGet(t, 0, true); got == a || reused {
		t.Error("the idle one did not make room for a fresh one")
	} else {
		p.put(got, 0)
	}
	p.put(b, 0)
	if p.idleCount() != 1 || p.open != 1 {
		t.Errorf("%d idle, %d open, want 1 and 1", p.idleCount(), p.open)
	}
}

// TestPoolLooksBeforeReuse: a connection that was idle for long and that the
// upstream has closed is not used.
func TestPoolLooksBeforeReuse(t *testing.T) {
	p, accepted := poolBefore(t, 0, 0)
	a, _ := p.mustGet(t, 0, false)
	theirs := <-accepted
	theirs.Close()
	if _, err := a.nc.Read(make([]byte, 1)); err != io.EOF { // the FIN has come
		t.Fatal(err)
	}
	p.put(a, 0)
	if got, reused := p.mustGet(t, 10*checkIdleNs, false); got == a || reused {
		t.Error("a dead connection was reused")
	}
	if p.open != 1 {
		t.Errorf("%d open", p.open)
	}
}
