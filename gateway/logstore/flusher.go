package logstore

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// flusher takes what is queued and commits it. Under sync and group it begins
// the next commit as soon as the one before has ended, so that a batch is
// what came meanwhile; under async it lets rows gather for interval first.
type flusher struct {
	s        *queued
	batch    int
	interval time.Duration // 0: commit at once
	retryFor time.Duration
	log      *slog.Logger

	ctx     context.Context // ends when Close gives up on the rest
	giveUp  context.CancelFunc
	closeAt atomic.Int64 // Unix ns of Close, 0 before
	done    chan struct{}
	lastErr error // of the last batch that failed; read after done
	failing bool
}

func startFlusher(s *queued, cfg Config, log *slog.Logger) *flusher {
	f := &flusher{s: s, batch: cfg.BatchRows, retryFor: cfg.RetryFor, log: log, done: make(chan struct{})}
	switch cfg.Durability {
	case Async:
		f.interval = cfg.FlushInterval
	case Sync:
		f.batch = 1
	}
	f.ctx, f.giveUp = context.WithCancel(context.Background())
	go f.run()
	return f
}

// stop closes the queue and waits until it is empty; when ctx ends first it
// gives the rest up.
func (f *flusher) stop(ctx context.Context) {
	f.closeAt.Store(time.Now().UnixNano())
	f.s.q.close()
	select {
	case <-f.done:
	case <-ctx.Done():
		f.giveUp()
		<-f.done
	}
	f.giveUp()
}

func (f *flusher) run() {
	defer close(f.done)
	var (
		rows  []logrow.Row
		dones []logrow.Completion
		more  = true
		timer = time.NewTimer(time.Hour)
	)
	defer timer.Stop()
	for more {
		select {
		case <-f.s.q.wake:
		case <-f.s.q.shut:
		}
		f.gather(timer)
		rows, dones, more = f.s.q.take(rows, dones)
		f.flush(rows, dones)
		clear(dones)
	}
}

// gather lets rows come for the interval, or until a batch is full.
func (f *flusher) gather(timer *time.Timer) {
	if f.interval == 0 {
		return
	}
	timer.Reset(f.interval)
	select {
	case <-timer.C:
	case <-f.s.q.kick:
	case <-f.s.q.shut:
	}
}

// flush commits rows in batches and tells their completions.
func (f *flusher) flush(rows []logrow.Row, dones []logrow.Completion) {
	for len(rows) > 0 {
		n := min(f.batch, len(rows))
		err := f.write(rows[:n])
		if err == nil {
			f.s.stored.Add(int64(n))
			f.s.batches.Add(1)
			f.s.counters.Add(ledger.RowsStored, int64(n))
		} else {
			f.lastErr = err
			f.s.failed.Add(int64(n))
			f.s.counters.Add(ledger.RowsFailed, int64(n))
		}
		f.s.q.release(n)
		rows = rows[n:]
		if f.s.q.await {
			for _, d := range dones[:n] {
				d.Stored(err)
			}
			dones = dones[n:]
		}
	}
}

// Waits between tries of one commit.
const (
	firstBackoff = 20 * time.Millisecond
	lastBackoff  = time.Second
)

// write makes one batch durable. A commit that fails is tried again while the
// time for it lasts: under async always, since nobody waits; else only when
// the backend expects the fault to pass.
func (f *flusher) write(rows []logrow.Row) error {
	for i := range rows {
		cleanID(&rows[i])
	}
	var start time.Time
	backoff := firstBackoff
	for {
		if err := f.ctx.Err(); err != nil {
			return errors.Join(ErrClosed, f.lastErr)
		}
		err := f.s.b.Write(f.ctx, rows)
		if err == nil {
			if f.failing {
				f.failing = false
				f.log.Info("log store works again", "writer", f.s.q.writer)
			}
			return nil
		}
		if !f.failing {
			f.failing = true
			f.log.Error("log store commit failed", "writer", f.s.q.writer, "rows", len(rows), "err", err)
		}
		now := time.Now()
		if start.IsZero() {
			start = now
		}
		if f.s.q.await && !f.s.b.Retryable(err) || now.Add(backoff).After(f.deadline(start)) {
			return err
		}
		f.s.retries.Add(1)
		t := time.NewTimer(backoff)
		select {
		case <-t.C:
		case <-f.ctx.Done():
			t.Stop()
			return err
		}
		backoff = min(2*backoff, lastBackoff)
	}
}

// deadline is when a batch that first failed at start is given up: after
// retryFor, and once the store is closing, all batches together have that
// long.
func (f *flusher) deadline(start time.Time) time.Time {
	d := start.Add(f.retryFor)
	if at := f.closeAt.Load(); at != 0 {
		if c := time.Unix(0, at).Add(f.retryFor); c.Before(d) {
			return c
		}
	}
	return d
}
