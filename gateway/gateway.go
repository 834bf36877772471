package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/control"
	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/metrics"
	"github.com/tollgate-lab/tollgate/gateway/worker"
)

// Options is what New takes beside the config.
type Options struct {
	// Logger takes the gateway's own messages; nil: standard error, as the config
	// says.
	Logger *slog.Logger
	// Lookup finds environment variables; nil: os.LookupEnv.
	Lookup func(string) (string, bool)

	job *worker.Job // in a worker process
}

// Gateway is one serving process.
type Gateway struct {
	cfg      *config.Config
	resolved *config.Resolved
	log      *slog.Logger
	now      func() int64
	worker   bool // under a supervisor
	slot     int
	mem      *memory
	slots    []ledger.Slot // of all workers
	book     *accounts.Book
	metrics  *metrics.Metrics
	store    logstore.Store
	health   storeHealth
	engine   engine.Engine
	ln       net.Listener
	addr     string
	control  *control.Server
	draining atomic.Bool
	served   chan error // how Serve ended

	mu    sync.Mutex
	final map[string]int64 // the ledger, once the memory is gone
}

// New makes a gateway of one process from a config that is valid. Nothing listens
// before Start.
func New(cfg *config.Config, opts Options) (*Gateway, error) {
	if cfg.Workers > 1 && opts.job == nil {
		return nil, fmt.Errorf("new gateway: workers is %d, but a gateway inside another process is one: use Run", cfg.Workers)
	}
	if opts.Lookup == nil {
		opts.Lookup = os.LookupEnv
	}
	if opts.Logger == nil {
		opts.Logger = newLogger(cfg.Logging, os.Stderr)
	}
	g := &Gateway{cfg: cfg, log: opts.Logger, now: engine.NewClock(), served: make(chan error, 1)}
	var err error
	if g.resolved, err = cfg.Resolve(opts.Lookup, time.Now().Unix()); err != nil {
		return nil, configError{err}
	}
	workers := 1
	if j := opts.job; j != nil {
		g.worker, g.slot, g.ln, workers = true, j.Slot, j.Listener, j.Count
		g.mem, err = inheritMemory(j.Files)
	} else {
		g.mem, err = openMemory(cfg, g.resolved.Keys, false, g.now(), g.log)
	}
	if err != nil {
		return nil, err
	}
	g.slots = g.mem.slots(workers)
	if err := g.assemble(); err != nil {
		return nil, errors.Join(err, g.mem.close())
	}
	return g, nil
}

// assemble makes what needs no socket and no store.
func (g *Gateway) assemble() (err error) {
	if g.book, err = accounts.NewBook(g.mem.accounts, g.resolved.Keys, g.slot); err != nil {
		return err
	}
	g.metrics = metrics.New(metrics.Source{
		Slots: g.slots, Accounts: g.sums, Build: buildLabels(g.cfg),
		Engine: func() engine.Stats { return g.engine.Stats() },
	})
	return nil
}

// Start opens the log store, binds and serves; it returns when clients can
// connect.
func (g *Gateway) Start() error {
	if err := g.start(); err != nil {
		if g.engine != nil {
			err = errors.Join(err, g.engine.Close())
		}
		if g.ln != nil {
			g.ln.Close()
		}
		return errors.Join(err, g.release(context.Background()))
	}
	go func() { g.served <- g.engine.Serve(g.ln) }()
	return nil
}

func (g *Gateway) start() error {
	mine := g.slots[g.slot]
	var err error
	if g.store, err = openStore(context.Background(), &g.cfg.Log, g.resolved.LogDSN, g.slot, mine, g.log); err != nil {
		return err
	}
	core, err := exchange.NewCore(exchange.Deps{
		Snapshot: g.resolved.Snapshot, Admitter: g.book, AwaitRows: g.store.Awaits(), Ledger: mine,
		Local: g.local, NewID: newRequestID,
	})
	if err != nil {
		return err
	}
	certificate, err := clientTLS(g.cfg.TLS)
	if err != nil {
		return err
	}
	g.engine, err = newEngine(g.cfg.Engine, engine.Options{
		Core: func() *exchange.Core { return core }, Rows: g.store, Now: g.now, Logger: g.log, TLS: certificate,
	})
	if err != nil {
		return err
	}
	if g.ln == nil {
		if g.ln, err = net.Listen("tcp", g.cfg.Listen); err != nil {
			return fmt.Errorf("listen: %w", err)
		}
	}
	g.addr = g.ln.Addr().String()
	if g.cfg.Control.Listen != "" && !g.worker {
		g.control, err = control.Listen(g.cfg.Control.Listen, control.Handler(control.Source{
			Slots: g.slots, Accounts: g.sums, Metrics: g.metrics, Ready: g.ready, Logger: g.log,
			Version: describe(g.cfg, 0),
			Workers: func() any { return []worker.State{{PID: os.Getpid(), Ready: g.ready() == nil}} },
		}), g.log)
	}
	return err
}

// Addr is the address that clients connect to.
func (g *Gateway) Addr() string { return g.addr }

// ControlAddr is the address of the control listener; "" when it is off.
func (g *Gateway) ControlAddr() string {
	if g.control == nil {
		return ""
	}
	return g.control.Addr()
}

// Ledger is every sum by name, over all workers.
func (g *Gateway) Ledger() map[string]int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.final != nil {
		return g.final
	}
	return ledger.Sums(g.slots)
}

// Store is the log store while the gateway runs, for readers in this process.
func (g *Gateway) Store() logstore.Store { return g.store }

func (g *Gateway) sums() []accounts.Sums { return g.book.Sums(g.now()) }

// Shutdown drains: no new connection, requests in flight end, rows are stored.
// When ctx ends first, what is left is cancelled, and the error says so.
func (g *Gateway) Shutdown(ctx context.Context) error {
	if g.draining.Swap(true) {
		return errors.New("shut down: already done")
	}
	var err error
	if err = g.engine.Shutdown(ctx); err != nil {
		err = fmt.Errorf("drain: %w", err)
	}
	if end := <-g.served; !errors.Is(end, engine.ErrClosed) {
		err = errors.Join(err, end)
	}
	return errors.Join(err, g.release(ctx))
}

// rowsTime is what the log store gets for its last rows when the drain took all
// of its time; a supervisor's grace is longer.
const rowsTime = 4 * time.Second

// release closes what is open, the memory last.
func (g *Gateway) release(ctx context.Context) error {
	var errs []error
	if g.control != nil {
		errs = append(errs, g.control.Close())
	}
	if g.store != nil {
		until := time.Now().Add(rowsTime)
		if d, ok := ctx.Deadline(); ok && d.After(until) {
			until = d
		}
		ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
		defer cancel()
		errs = append(errs, g.store.Close(ctx))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.final = ledger.Sums(g.slots)
	return errors.Join(append(errs, g.mem.close())...)
}
