package logstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore/pglog"
	"github.com/tollgate-lab/tollgate/gateway/logstore/sqlitelog"
)

// Store is the log of one worker.
type Store interface {
	logrow.Appender
	// Close refuses further rows, commits every row accepted so far, tells
	// their completions and frees the store. When ctx ends first, the rows left
	// are counted as failed and the error says how many.
	Close(ctx context.Context) error
	// Stats is what became of the rows so far.
	Stats() Stats
}

// Stats counts rows. Appended = Dropped + Stored + Failed + Queue.
type Stats struct {
	Appended int64 // handed to Append
	Dropped  int64 // given up by the overflow policy, or handed over after Close
	Stored   int64 // durable; for the memory store: kept, then perhaps displaced by newer ones
	Failed   int64 // accepted and not known to be durable
	Queue    int64 // accepted, not yet decided
	Batches  int64 // commits that succeeded
	Retries  int64 // commits tried again
}

// Counters receives the same counts as they happen: a ledger.Slot is one.
type Counters interface {
	Add(c ledger.Counter, n int64)
}

// ErrQueueFull is told to the completion of a row that found the queue full
// while the overflow policy is drop.
var ErrQueueFull = errors.New("log store: queue is full")

// ErrClosed is told to the completion of a row that came after Close.
var ErrClosed = errors.New("log store: closed")

// Option changes how Open sets a store up.
type Option func(*options)

type options struct {
	counters Counters
	logger   *slog.Logger
	epoch    int64
}

// WithCounters also adds every count to c.
func WithCounters(c Counters) Option { return func(o *options) { o.counters = c } }

// WithLogger logs failing commits, once when they begin and once when they
// end, to l.
func WithLogger(l *slog.Logger) Option { return func(o *options) { o.logger = l } }

// WithEpoch sets the incarnation's start in Unix nanoseconds; without it Open
// takes the present. No two incarnations of one writer may share it.
func WithEpoch(ns int64) Option { return func(o *options) { o.epoch = ns } }

// backend makes batches durable. It is used by one goroutine at a time.
type backend interface {
	// Write commits rows, all or none. They are never empty, and rise in Seq.
	// After an error it may be called again with the same rows, and must then
	// not store them twice.
	Write(ctx context.Context, rows []logrow.Row) error
	// Retryable reports whether the same Write may succeed within seconds
	// without anybody's doing.
	Retryable(err error) bool
	Close() error
}

// Open opens the store for one writer slot, counted from 0. It makes the
// schema when there is none, and refuses one that is newer than it knows.
func Open(ctx context.Context, cfg Config, writer int, opts ...Option) (Store, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if writer < 0 || writer > maxWriter {
		return nil, fmt.Errorf("log store: writer slot %d is not between 0 and %d", writer, maxWriter)
	}
	cfg = cfg.WithDefaults()
	o := options{counters: noCounters{}, logger: slog.New(slog.DiscardHandler)}
	for _, opt := range opts {
		opt(&o)
	}
	if o.epoch == 0 {
		o.epoch = time.Now().UnixNano()
	}
	var (
		b   backend
		err error
	)
	switch cfg.Store {
	case Off:
		return off{}, nil
	case Memory:
		return newMemory(cfg.MemoryRows, int32(writer), o), nil
	case SQLite:
		b, err = sqlitelog.OpenWriter(ctx, sqlitelog.Options{
			Dir: cfg.Path, Writer: int32(writer), Epoch: o.epoch, Full: cfg.Durability != Async,
		})
	case Postgres:
		b, err = pglog.OpenWriter(ctx, pglog.Options{
			DSN: cfg.DSN, Writer: int32(writer), Epoch: o.epoch, Conns: cfg.PoolConns,
			SyncCommit: cfg.Durability != Async, Timeout: cfg.RetryFor,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("open log store %s for writer %d: %w", cfg.Store, writer, err)
	}
	return newQueued(cfg, b, int32(writer), o), nil
}

// maxWriter bounds the writer slot: it is a file name's number and an int32.
const maxWriter = 1 << 20

type noCounters struct{}

func (noCounters) Add(ledger.Counter, int64) {}

// off takes nothing. The request path does not call it; it stands where a
// Store is needed.
type off struct{}

func (off) Append(*logrow.Row, logrow.Completion) bool { return false }
func (off) Awaits() bool                               { return false }
func (off) Close(context.Context) error                { return nil }
func (off) Stats() Stats                               { return Stats{} }
