package logstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// queued is a store made of a queue, a flusher and a backend.
type queued struct {
	q        *queue
	b        backend
	counters Counters
	fl       *flusher

	appended, dropped, stored, failed, batches, retries atomic.Int64

	closing  sync.Once
	closeErr error
}

func newQueued(cfg Config, b backend, writer int32, o options) *queued {
	s := &queued{q: newQueue(cfg, writer, o.epoch), b: b, counters: o.counters}
	s.fl = startFlusher(s, cfg, o.logger)
	return s
}

func (s *queued) Awaits() bool { return s.q.await }

func (s *queued) Append(row *logrow.Row, done logrow.Completion) bool {
	s.appended.Add(1)
	s.counters.Add(ledger.RowsAppended, 1)
	if err := s.q.put(row, done); err != nil {
		s.dropped.Add(1)
		s.counters.Add(ledger.RowsDropped, 1)
		if s.q.await {
			// Never from inside Append: the caller may hold what Stored needs.
			go done.Stored(err)
		}
	}
	return s.q.await
}

func (s *queued) Stats() Stats {
	// Read from the end of a row's way to its beginning, so that no row is
	// missed, and take the queue as what is left: the sum always closes.
	st := Stats{
		Stored: s.stored.Load(), Failed: s.failed.Load(), Dropped: s.dropped.Load(),
		Batches: s.batches.Load(), Retries: s.retries.Load(),
	}
	st.Appended = s.appended.Load()
	st.Queue = st.Appended - st.Stored - st.Failed - st.Dropped
	return st
}

func (s *queued) Close(ctx context.Context) error {
	s.closing.Do(func() {
		before := s.failed.Load()
		s.fl.stop(ctx)
		if n := s.failed.Load() - before; n > 0 {
			s.closeErr = fmt.Errorf("close log store of writer %d: %d accepted rows not stored: %w", s.q.writer, n, s.fl.lastErr)
		}
		s.closeErr = errors.Join(s.closeErr, s.b.Close())
	})
	return s.closeErr
}
