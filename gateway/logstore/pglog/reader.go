package pglog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore/tally"
)

// Reader answers over all writers of a database.
type Reader struct{ pool *pgxpool.Pool }

// readerConns lets one call run inside the callback of another.
const readerConns = 2

// OpenReader connects; it refuses a schema that is newer than it knows, and
// one that no writer has made yet.
func OpenReader(ctx context.Context, dsn string) (*Reader, error) {
	pool, err := openPool(ctx, dsn, readerConns, "tollgate-log-reader")
	if err != nil {
		return nil, err
	}
	version, err := schemaVersion(ctx, pool)
	switch {
	case err != nil:
	case version == 0:
		err = errors.New("database holds no request log: no writer has opened it")
	case version > len(migrations):
		err = newer(version)
	default:
		return &Reader{pool: pool}, nil
	}
	pool.Close()
	return nil, fmt.Errorf("read log: %w", err)
}

// Close closes the connections.
func (r *Reader) Close() error {
	r.pool.Close()
	return nil
}

// Count counts the rows.
func (r *Reader) Count(ctx context.Context) (int64, error) {
	var n int64
	if err := r.pool.QueryRow(ctx, "SELECT count(*) FROM tollgate_log_rows").Scan(&n); err != nil {
		return 0, fmt.Errorf("count log rows: %w", err)
	}
	return n, nil
}

// CountByOutcome counts the rows of each outcome that occurs.
func (r *Reader) CountByOutcome(ctx context.Context) (map[logrow.Outcome]int64, error) {
	rows, err := r.pool.Query(ctx, "SELECT outcome, count(*) FROM tollgate_log_rows GROUP BY outcome")
	if err != nil {
		return nil, fmt.Errorf("count log rows by outcome: %w", err)
	}
	counts := make(map[logrow.Outcome]int64)
	var outcome int16
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&outcome, &n}, func() error {
		counts[logrow.Outcome(outcome)] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count log rows by outcome: %w", err)
	}
	return counts, nil
}

// Sums adds up by key and model.
func (r *Reader) Sums(ctx context.Context) ([]tally.Sum, error) {
	rows, err := r.pool.Query(ctx, `SELECT l.key, l.model, count(*), sum(r.prompt_tok)::bigint, sum(r.output_tok)::bigint,
		sum(r.cost_nano)::bigint, count(*) FILTER (WHERE r.estimated)
		FROM tollgate_log_rows r JOIN tollgate_log_labels l ON l.id = r.label GROUP BY l.key, l.model`)
	if err != nil {
		return nil, fmt.Errorf("sum log rows: %w", err)
	}
	var (
		s    tally.Sum
		sums []tally.Sum
	)
	_, err = pgx.ForEachRow(rows, []any{&s.Key, &s.Model, &s.Rows, &s.PromptTok, &s.OutputTok, &s.CostNano, &s.Estimated}, func() error {
		sums = append(sums, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("sum log rows: %w", err)
	}
	return tally.Merge(sums), nil
}

// EachRow walks the rows by writer, epoch and sequence.
func (r *Reader) EachRow(ctx context.Context, fn func(*logrow.Row) error) error {
	return r.rowsWhere(ctx, "ORDER BY w.writer, w.epoch_ns, r.seq", nil, fn)
}

// ByRequestID scans for the rows of one request id.
func (r *Reader) ByRequestID(ctx context.Context, id string) ([]logrow.Row, error) {
	var found []logrow.Row
	err := r.rowsWhere(ctx, "WHERE r.request_id = $1 ORDER BY w.writer, w.epoch_ns, r.seq", []any{id}, func(row *logrow.Row) error {
		found = append(found, *row)
		return nil
	})
	return found, err
}

func (r *Reader) rowsWhere(ctx context.Context, tail string, args []any, fn func(*logrow.Row) error) error {
	rows, err := r.pool.Query(ctx, `SELECT w.writer, w.epoch_ns, r.seq, r.started_ns, r.ttfb_ns, r.total_ns, r.request_id,
		l.surface, l.key, l.model, l.provider, l.reason, r.status, r.outcome, r.stream, r.estimated,
		r.prompt_tok, r.output_tok, r.cost_nano, r.bytes_in, r.bytes_out
		FROM tollgate_log_rows r JOIN tollgate_log_writers w ON w.id = r.incarnation JOIN tollgate_log_labels l ON l.id = r.label `+tail, args...)
	if err != nil {
		return fmt.Errorf("read log rows: %w", err)
	}
	var (
		row     logrow.Row
		id      string
		status  int16
		outcome int16
	)
	_, err = pgx.ForEachRow(rows, []any{
		&row.Writer, &row.Epoch, &row.Seq, &row.StartedNs, &row.TTFBNs, &row.TotalNs, &id,
		&row.Surface, &row.Key, &row.Model, &row.Provider, &row.Reason, &status, &outcome, &row.Stream, &row.Estimated,
		&row.PromptTok, &row.OutputTok, &row.CostNano, &row.BytesIn, &row.BytesOut,
	}, func() error {
		row.RequestID = [logrow.MaxRequestID]byte{}
		row.SetID([]byte(id))
		row.Status, row.Outcome = int32(status), logrow.Outcome(outcome)
		return fn(&row)
	})
	if err != nil {
		return fmt.Errorf("read log rows: %w", err)
	}
	return nil
}
