package logstore

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// discard is a logger that nobody reads.
var discard = slog.New(slog.DiscardHandler)

var errFake = errors.New("the backend fails")

// fakeBackend records batches. Its gate, when there is one, holds each Write
// until a value comes; fail decides about a Write by its number, from 1.
type fakeBackend struct {
	gate      chan struct{}
	entered   chan struct{} // when there is one, told at each Write
	fail      func(n int) error
	retryable bool

	mu      sync.Mutex
	writes  int
	batches [][]int64 // sequences, of the Writes that succeeded
	closed  bool
}

func (b *fakeBackend) Write(ctx context.Context, rows []logrow.Row) error {
	if b.entered != nil {
		b.entered <- struct{}{}
	}
	if b.gate != nil {
		select {
		case <-b.gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.writes++
	if b.fail != nil {
		if err := b.fail(b.writes); err != nil {
			return err
		}
	}
	seqs := make([]int64, len(rows))
	for i := range rows {
		seqs[i] = rows[i].Seq
	}
	b.batches = append(b.batches, seqs)
	return nil
}

func (b *fakeBackend) Retryable(error) bool { return b.retryable }

func (b *fakeBackend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return nil
}

func (b *fakeBackend) got() [][]int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([][]int64(nil), b.batches...)
}

// fakeStore is a queued store over b.
func fakeStore(cfg Config, b *fakeBackend) *queued {
	cfg.Store, cfg.Path = SQLite, "unused"
	return newQueued(cfg.WithDefaults(), b, 0, options{counters: noCounters{}, logger: discard, epoch: 1})
}

// chanDone is a completion that a test waits for.
type chanDone chan error

func (c chanDone) Stored(err error) { c <- err }

func row(id string) *logrow.Row {
	r := &logrow.Row{Outcome: logrow.Answered, Surface: "chat"}
	r.SetID([]byte(id))
	return r
}
