package pglog

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// lockKey is the advisory lock under which the schema is made: many workers
// start at once, and CREATE TABLE IF NOT EXISTS alone can fail in a race.
const lockKey = 0x746f6c6c6c6f67 // "tolllog"

// migrations leads from each version of the schema to the next: migration i
// makes version i+1. A published one is never changed.
var migrations = []string{
	`CREATE TABLE tollgate_log_writers (
		id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		writer   integer NOT NULL, -- slot, from 0
		epoch_ns bigint NOT NULL,  -- start of the incarnation, Unix ns
		last_seq bigint NOT NULL,  -- the mark: last sequence of the last batch
		UNIQUE (writer, epoch_ns)
	) WITH (fillfactor = 50); -- each batch updates one row: leave room to do so in place
	CREATE TABLE tollgate_log_labels (
		id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		surface  text NOT NULL,
		key      text NOT NULL,
		model    text NOT NULL,
		provider text NOT NULL,
		reason   text NOT NULL,
		UNIQUE (surface, key, model, provider, reason)
	);
	CREATE TABLE tollgate_log_rows (
		seq         bigint NOT NULL,
		started_ns  bigint NOT NULL,
		ttfb_ns     bigint NOT NULL,
		total_ns    bigint NOT NULL,
		prompt_tok  bigint NOT NULL,
		output_tok  bigint NOT NULL,
		cost_nano   bigint NOT NULL, -- 1e-9 dollars
		bytes_in    bigint NOT NULL,
		bytes_out   bigint NOT NULL,
		incarnation integer NOT NULL, -- tollgate_log_writers.id
		label       integer NOT NULL, -- tollgate_log_labels.id
		status      smallint NOT NULL,
		outcome     smallint NOT NULL,
		stream      boolean NOT NULL,
		estimated   boolean NOT NULL,
		request_id  text NOT NULL
	);
	CREATE VIEW tollgate_log AS
		SELECT w.writer, w.epoch_ns, r.seq, r.started_ns, r.ttfb_ns, r.total_ns, r.request_id,
			l.surface, l.key, l.model, l.provider, r.status,
			CASE r.outcome WHEN 1 THEN 'answered' WHEN 2 THEN 'rejected' WHEN 3 THEN 'upstream_error'
				WHEN 4 THEN 'gateway_error' WHEN 5 THEN 'client_left' ELSE 'unknown' END AS outcome,
			l.reason, r.stream, r.estimated, r.prompt_tok, r.output_tok, r.cost_nano, r.bytes_in, r.bytes_out
		FROM tollgate_log_rows r JOIN tollgate_log_writers w ON w.id = r.incarnation JOIN tollgate_log_labels l ON l.id = r.label`,
}

// migrate brings the schema to the newest version, one worker at a time.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(lockKey)); err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		const meta = "CREATE TABLE IF NOT EXISTS tollgate_log_meta (one boolean PRIMARY KEY DEFAULT true CHECK (one), version integer NOT NULL)"
		version, err := schemaVersion(ctx, tx)
		if err != nil {
			return err
		}
		if version > len(migrations) {
			return newer(version)
		}
		if version == len(migrations) {
			return nil
		}
		if _, err := tx.Exec(ctx, meta); err != nil {
			return err
		}
		for ; version < len(migrations); version++ {
			if _, err := tx.Exec(ctx, migrations[version], pgx.QueryExecModeSimpleProtocol); err != nil {
				return fmt.Errorf("make version %d: %w", version+1, err)
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO tollgate_log_meta (version) VALUES ($1)
			ON CONFLICT (one) DO UPDATE SET version = excluded.version`, version)
		return err
	})
	if err != nil {
		return fmt.Errorf("log schema: %w", err)
	}
	return nil
}

func newer(version int) error {
	return fmt.Errorf("database has version %d, newer than this program's %d: use the program that made it, or another database or schema",
		version, len(migrations))
}

// querier is a pool, a connection or a transaction.
type querier interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// schemaVersion is 0 where there is no schema.
func schemaVersion(ctx context.Context, q querier) (int, error) {
	var there bool
	if err := q.QueryRow(ctx, "SELECT to_regclass('tollgate_log_meta') IS NOT NULL").Scan(&there); err != nil || !there {
		return 0, err
	}
	var version int
	err := q.QueryRow(ctx, "SELECT version FROM tollgate_log_meta").Scan(&version)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	return version, err
}

// sqlState is the five-character code of a server's error, "" for others.
func sqlState(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
