package pglog

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore/labels"
)

// Options opens a Writer.
type Options struct {
	DSN        string        // connection URL or key=value string
	Writer     int32         // slot, from 0
	Epoch      int64         // the incarnation's start, Unix ns
	Conns      int           // most connections
	SyncCommit bool          // synchronous_commit on: a commit survives a crash of the server
	Timeout    time.Duration // of one batch, connecting included
}

// Writer appends batches. It is used by one goroutine at a time.
type Writer struct {
	o     Options
	pool  *pgxpool.Pool
	incar int32 // id of this incarnation
	mark  int64 // where the incarnation's mark is believed to stand

	cache labels.Cache
	ids   []int64 // labels of the batch
	data  []byte  // the batch as COPY takes it
	sql   []byte
	src   *source
}

// OpenWriter connects, makes the schema when there is none, and registers the
// incarnation.
func OpenWriter(ctx context.Context, o Options) (*Writer, error) {
	pool, err := openPool(ctx, o.DSN, o.Conns, fmt.Sprintf("tollgate-log-%d", o.Writer))
	if err != nil {
		return nil, err
	}
	w := &Writer{o: o, pool: pool, src: new(source)}
	if err := migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	// RETURNING after a lost answer would find the row there: an incarnation
	// is registered once, so its conflict is an error.
	err = pool.QueryRow(ctx, "INSERT INTO tollgate_log_writers (writer, epoch_ns, last_seq) VALUES ($1, $2, 0) RETURNING id",
		o.Writer, o.Epoch).Scan(&w.incar)
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("register writer %d, epoch %d: %w", o.Writer, o.Epoch, err)
	}
	return w, nil
}

// errMark says that the mark stands where neither this batch nor a batch
// before it can have put it.
var errMark = errors.New("the writer's mark was moved by somebody else")

// Write commits rows exactly once, also when it is called again with the same
// rows after an error.
func (w *Writer) Write(ctx context.Context, rows []logrow.Row) error {
	ctx, cancel := context.WithTimeout(ctx, w.o.Timeout)
	defer cancel()
	if err := w.write(ctx, rows); err != nil {
		return fmt.Errorf("copy %d rows from sequence %d: %w", len(rows), rows[0].Seq, err)
	}
	return nil
}

func (w *Writer) write(ctx context.Context, rows []logrow.Row) error {
	if err := w.resolve(ctx, rows); err != nil {
		return err
	}
	w.data = appendCopy(w.data[:0], rows, w.incar, w.ids)
	first, last := rows[0].Seq, rows[len(rows)-1].Seq
	for range 2 {
		err := w.copy(ctx, last)
		if err == nil {
			w.mark = last
			return nil
		}
		if sqlState(err) != notNullViolation {
			return err
		}
		// A commit whose answer was lost moved the mark: this batch's own, or
		// that of an earlier batch that was given up.
		at, err := w.lookUp(ctx)
		if err != nil {
			return err
		}
		w.mark = at
		if at == last {
			return nil
		}
		if at >= first {
			return fmt.Errorf("%w: it is %d", errMark, at)
		}
	}
	return errMark
}

const notNullViolation = "23502"

// copy sends the batch as one simple query.
func (w *Writer) copy(ctx context.Context, last int64) error {
	b := append(w.sql[:0], "SET LOCAL synchronous_commit = "...)
	if w.o.SyncCommit {
		b = append(b, "on"...)
	} else {
		b = append(b, "off"...)
	}
	b = append(b, "; INSERT INTO tollgate_log_writers AS w (id, writer, epoch_ns, last_seq) OVERRIDING SYSTEM VALUE VALUES ("...)
	for i, n := range [...]int64{int64(w.incar), int64(w.o.Writer), w.o.Epoch, last} {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, n, 10)
	}
	b = append(b, ") ON CONFLICT (id) DO UPDATE SET last_seq = CASE WHEN w.last_seq = "...)
	b = strconv.AppendInt(b, w.mark, 10)
	b = append(b, " THEN excluded.last_seq END; "...)
	b = append(b, copySQL...)
	w.sql = b

	conn, err := w.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer conn.Release()
	w.src.begin(w.data)
	if _, err = conn.Conn().PgConn().CopyFrom(ctx, w.src, string(b)); err != nil {
		w.src.end()
		w.src = new(source)
	}
	return err
}

// lookUp reads the mark.
func (w *Writer) lookUp(ctx context.Context) (int64, error) {
	var at int64
	err := w.pool.QueryRow(ctx, "SELECT last_seq FROM tollgate_log_writers WHERE id = $1", w.incar).Scan(&at)
	if err != nil {
		return 0, fmt.Errorf("look the mark up: %w", err)
	}
	return at, nil
}

// resolve finds the label of each row, and makes those that are new, before
// the batch.
func (w *Writer) resolve(ctx context.Context, rows []logrow.Row) error {
	w.ids = w.ids[:0]
	for i := range rows {
		set := labels.Of(&rows[i])
		id, ok := w.cache.Get(set)
		if !ok {
			var err error
			if id, err = w.makeLabel(ctx, set); err != nil {
				return fmt.Errorf("make label: %w", err)
			}
			w.cache.Put(set, id)
		}
		w.ids = append(w.ids, id)
	}
	return nil
}

func (w *Writer) makeLabel(ctx context.Context, s labels.Set) (id int64, err error) {
	// Two statements: another worker may make the label between them, never
	// take it away.
	args := []any{text(s.Surface), text(s.Key), text(s.Model), text(s.Provider), text(s.Reason)}
	_, err = w.pool.Exec(ctx, `INSERT INTO tollgate_log_labels (surface, key, model, provider, reason)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`, args...)
	if err != nil {
		return 0, err
	}
	err = w.pool.QueryRow(ctx, `SELECT id FROM tollgate_log_labels
		WHERE surface = $1 AND key = $2 AND model = $3 AND provider = $4 AND reason = $5`, args...).Scan(&id)
	return id, err
}

// text is s as PostgreSQL takes it: valid UTF-8 without NUL.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "?"), "\x00", "?")
}

// Retryable reports whether err may pass by itself: the server is away, going
// down, coming up or short of connections, or a transaction lost a conflict.
func (w *Writer) Retryable(err error) bool {
	if errors.Is(err, errMark) {
		return false
	}
	code := sqlState(err)
	if code == "" {
		var config *pgconn.ParseConfigError
		return !errors.As(err, &config)
	}
	switch code[:2] {
	case "08", "40", "53", "57", "58": // connection, rollback, resources, operator, system
		return true
	}
	return false
}

// Close closes the pool.
func (w *Writer) Close() error {
	w.pool.Close()
	return nil
}
