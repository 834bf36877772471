package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
)

// openStore opens the log store of one worker.
func openStore(ctx context.Context, l *config.Log, dsn string, slot int, sums ledger.Slot, log *slog.Logger) (logstore.Store, error) {
	return logstore.Open(ctx, storeConfig(l, dsn), slot, logstore.WithCounters(sums), logstore.WithLogger(log))
}

func storeConfig(l *config.Log, dsn string) logstore.Config {
	return logstore.Config{
		Store: logstore.Kind(l.Store), Durability: logstore.Durability(l.Durability), Path: l.Path, DSN: dsn,
		QueueRows: l.QueueRows, BatchRows: l.BatchRows, FlushInterval: l.FlushInterval, Overflow: logstore.Overflow(l.Overflow),
		MemoryRows: l.MemoryRows, PoolConns: l.PoolConns, RetryFor: l.RetryFor,
	}
}

// storeHealth tells from the log store's counts whether it takes rows: commits
// that are tried again and never succeed mean that it is away.
type storeHealth struct {
	mu   sync.Mutex
	last logstore.Stats
	away error
}

func (h *storeHealth) look(now logstore.Stats) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case now.Failed > h.last.Failed: // also when others could be
		h.away = fmt.Errorf("log store: %d rows could not be stored", now.Failed)
	case now.Batches > h.last.Batches:
		h.away = nil
	case now.Retries > h.last.Retries:
		h.away = errors.New("log store: commits fail and are tried again")
	}
	h.last = now
	return h.away
}
