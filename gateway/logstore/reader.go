package logstore

import (
	"context"
	"fmt"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore/pglog"
	"github.com/tollgate-lab/tollgate/gateway/logstore/sqlitelog"
	"github.com/tollgate-lab/tollgate/gateway/logstore/tally"
)

// Sum is the sums over the rows of one key and model.
type Sum = tally.Sum

// SumOf is the sum over one row.
func SumOf(r *logrow.Row) Sum { return tally.OfRow(r) }

// Reader answers from what is committed, over all writers, also while they
// write. Each call sees a state of its own.
type Reader interface {
	Count(ctx context.Context) (int64, error)
	CountByOutcome(ctx context.Context) (map[logrow.Outcome]int64, error)
	// EachRow calls fn for every row; the rows of one writer come in the order
	// of epoch, then sequence. The row is valid until fn returns; an error of
	// fn ends the walk and is returned.
	EachRow(ctx context.Context, fn func(*logrow.Row) error) error
	// ByRequestID is the rows with this request id, by a scan.
	ByRequestID(ctx context.Context, id string) ([]logrow.Row, error)
	// Sums is the sums by key, then model, in that order.
	Sums(ctx context.Context) ([]Sum, error)
	Close() error
}

// OpenReader opens the committed rows of every writer of cfg. A memory store
// lives in its process: ReaderOf reads it there.
func OpenReader(ctx context.Context, cfg Config) (Reader, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	switch cfg.Store {
	case SQLite:
		return sqlitelog.OpenReader(cfg.Path)
	case Postgres:
		return pglog.OpenReader(ctx, cfg.DSN)
	}
	return nil, fmt.Errorf("read log store: store %s keeps no rows outside its process", cfg.Store)
}

// ReaderOf reads what s itself holds: for the memory store the rows of the
// ring. ok is false for stores that OpenReader reads.
func ReaderOf(s Store) (r Reader, ok bool) {
	m, ok := s.(*memory)
	if !ok {
		return nil, false
	}
	return memoryReader{m}, true
}

type memoryReader struct{ m *memory }

func (r memoryReader) Close() error { return nil }

func (r memoryReader) Count(context.Context) (int64, error) { return int64(len(r.m.rows())), nil }

func (r memoryReader) CountByOutcome(context.Context) (map[logrow.Outcome]int64, error) {
	n := make(map[logrow.Outcome]int64)
	for _, row := range r.m.rows() {
		n[row.Outcome]++
	}
	return n, nil
}

func (r memoryReader) EachRow(ctx context.Context, fn func(*logrow.Row) error) error {
	rows := r.m.rows()
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fn(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r memoryReader) ByRequestID(_ context.Context, id string) ([]logrow.Row, error) {
	var found []logrow.Row
	for _, row := range r.m.rows() {
		if string(row.ID()) == id {
			found = append(found, row)
		}
	}
	return found, nil
}

func (r memoryReader) Sums(context.Context) ([]Sum, error) {
	var sums []Sum
	for _, row := range r.m.rows() {
		sums = append(sums, tally.OfRow(&row))
	}
	return tally.Merge(sums), nil
}
