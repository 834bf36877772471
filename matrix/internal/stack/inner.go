package stack

import (
	"context"
	"log/slog"
	"path/filepath"

	"github.com/tollgate-lab/tollgate/gateway"
	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// innerGate is a gateway of this process. Its sockets are real.
type innerGate struct{ *gateway.Gateway }

func startInnerGate(c *contract.Cell, upstream, dir, dsn string) (gate, error) {
	text, err := configFor(c, "127.0.0.1:0", "", upstream, filepath.ToSlash(dir))
	if err != nil {
		return nil, err
	}
	// The environment of the runner is not the cell's.
	lookup := func(name string) (string, bool) { return dsn, name == dsnEnv && dsn != "" }
	cfg, err := config.Read("gateway.yaml", []byte(text), lookup)
	if err != nil {
		return nil, err
	}
	g, err := gateway.New(cfg, gateway.Options{Lookup: lookup, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if err := g.Start(); err != nil {
		return nil, err
	}
	return innerGate{g}, nil
}

func (g innerGate) addr() string { return g.Addr() }
func (g innerGate) pid() int     { return 0 }

func (g innerGate) ledger(context.Context) (results.LedgerSums, error) {
	return results.LedgerSums(g.Ledger()), nil
}

func (g innerGate) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
	defer cancel()
	return g.Shutdown(ctx)
}

// rows reads a store that lives in this process alone.
func (g innerGate) rows() (logstore.Reader, bool) { return logstore.ReaderOf(g.Store()) }
