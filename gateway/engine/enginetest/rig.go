package enginetest

import (
	"context"
	"io"
	"log/slog"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// patience bounds every wait of a story.
const patience = 20 * time.Second

// second in nanoseconds, for limits.
const second = int64(time.Second)

// rig is an engine with what stands around it.
type rig struct {
	t    *testing.T
	eng  engine.Engine
	addr string
	up   *upstream
	rows *rows
	slot ledger.Slot
	keys *keys

	panics int64 // that the story causes
}

// plan is what a story may change before the engine starts.
type plan struct {
	snapshot exchange.Snapshot
	options  engine.Options
	rows     *rows
	// sendBuffer bounds what the system keeps for a client that does not read, in
	// bytes. 0: the system's own bound.
	sendBuffer int
}

// newRig starts an engine before an upstream that runs script for each
// connection.
func (s *suite) newRig(t *testing.T, script script, change ...func(*plan)) *rig {
	t.Helper()
	up := newUpstream(t, script)
	slot := ledger.At(shm.NewHeap(ledger.Words(1)), 0, 0)
	p := &plan{rows: newRows()}
	p.snapshot = exchange.Snapshot{
		Providers: []exchange.Provider{{
			Endpoint:      exchange.Endpoint{Name: "up", Host: up.addr, HostHead: up.addr},
			BasePath:      "/base",
			ConnTimeoutNs: 10 * second, HeadTimeoutNs: 20 * second, BodyTimeoutNs: 20 * second,
		}},
		Models:   []exchange.Model{{Name: "m", PriceIn: 1000, PriceOut: 2000, MaxOutputTok: 100}},
		ByName:   map[string]int{"m": 0},
		AnyModel: -1,
		Stages:   exchange.Stages{Auth: true, Admission: true, Ledger: true, Log: true},
		Limits: exchange.Limits{
			MaxHeadBytes: 8 << 10, MaxHeadFields: 64, MaxBodyBytes: 8 << 20, MaxUpstreamHead: 32 << 10,
			IdleTimeoutNs: 60 * second, HeadTimeoutNs: 20 * second, BodyTimeoutNs: 20 * second, WriteTimeoutNs: 20 * second,
		},
	}
	for _, f := range change {
		f(p)
	}
	k := &keys{}
	var ids atomic.Int64
	core, err := exchange.NewCore(exchange.Deps{
		Snapshot: &p.snapshot, Admitter: k, AwaitRows: p.rows.Awaits(), Ledger: slot,
		Local: func(_ int64, method, path []byte) (int, string, []byte, bool) {
			if string(path) != "/healthz" || string(method) != "GET" && string(method) != "HEAD" {
				return 0, "", nil, false
			}
			return 200, "text/plain", []byte("ok\n"), true
		},
		NewID: func(dst []byte) int { return len(strconv.AppendInt(append(dst[:0], "id-"...), ids.Add(1), 10)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	o := p.options
	o.Core, o.Rows = func() *exchange.Core { return core }, p.rows
	o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	r := &rig{t: t, up: up, rows: p.rows, slot: slot, keys: k, eng: s.start(t, o)}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if p.sendBuffer > 0 {
		if err := boundSends(ln, p.sendBuffer); err != nil {
			t.Fatal(err)
		}
	}
	r.addr = ln.Addr().String()
	served := make(chan error, 1)
	go func() { served <- r.eng.Serve(ln) }()
	t.Cleanup(func() {
		r.eng.Close()
		if err := <-served; err != engine.ErrClosed {
			t.Errorf("Serve returned %v", err)
		}
		if n := r.eng.Stats().Panics; n != r.panics {
			t.Errorf("%d panics, want %d", n, r.panics)
		}
		r.requireSettled()
	})
	return r
}

// requireSettled: nothing is in flight, held, or closed twice.
func (r *rig) requireSettled() {
	r.t.Helper()
	r.eventually("the exchange settles", func() bool {
		return r.slot.Load(ledger.InFlight) == 0 && r.slot.Load(ledger.OpenReservations) == 0 && r.keys.held.Load() == 0
	})
}

// eventually waits until something observable holds.
func (r *rig) eventually(what string, holds func() bool) {
	r.t.Helper()
	eventually(r.t, what, holds)
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Errorf("waited in vain until %s", what)
			return
		}
	}
}

// boundSends bounds the send buffers of what ln accepts.
func boundSends(ln net.Listener, bytes int) error {
	raw, err := ln.(*net.TCPListener).SyscallConn()
	if err != nil {
		return err
	}
	return control(raw, func(fd uintptr) error { return setSendBuffer(fd, bytes) })
}
