package sqlitelog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore/labels"
	"github.com/tollgate-lab/tollgate/gateway/logstore/tally"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Reader answers from every file of a directory. It opens them anew for each
// call, so it sees the files of writers that came later.
type Reader struct{ dir string }

// OpenReader reads the directory dir, which exists.
func OpenReader(dir string) (*Reader, error) {
	st, err := os.Stat(dir)
	if err != nil {
		return nil, fmt.Errorf("read log directory: %w", err)
	}
	if !st.IsDir() {
		return nil, fmt.Errorf("read log directory: %s is not a directory", dir)
	}
	return &Reader{dir: dir}, nil
}

// Close has nothing to free.
func (r *Reader) Close() error { return nil }

// files is the log files by rising slot.
func (r *Reader) files() ([]string, error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil, fmt.Errorf("read log directory: %w", err)
	}
	var slots []int32
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), "requests-")
		if !ok {
			continue
		}
		if name, ok = strings.CutSuffix(name, ".db"); !ok {
			continue
		}
		if n, err := strconv.ParseInt(name, 10, 32); err == nil && n >= 0 {
			slots = append(slots, int32(n))
		}
	}
	slices.Sort(slots)
	paths := make([]string, len(slots))
	for i, s := range slots {
		paths[i] = fileOf(r.dir, s)
	}
	return paths, nil
}

// each runs fn on a connection to every file.
func (r *Reader) each(ctx context.Context, fn func(*sqlite.Conn) error) error {
	paths, err := r.files()
	if err != nil {
		return err
	}
	for _, p := range paths {
		if err := inFile(ctx, p, fn); err != nil {
			return fmt.Errorf("read %s: %w", p, err)
		}
	}
	return nil
}

func inFile(ctx context.Context, path string, fn func(*sqlite.Conn) error) (err error) {
	// Read-write, since whoever opens a WAL file first after a crash recovers
	// it; query_only keeps everything else out.
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	defer func() {
		c.SetInterrupt(nil)
		err = errors.Join(err, c.Close())
	}()
	c.SetInterrupt(ctx.Done())
	c.SetBusyTimeout(busyTimeout)
	if err := sqlitex.ExecuteTransient(c, "PRAGMA query_only = ON", nil); err != nil {
		return err
	}
	if err := checkFile(c, path); err != nil {
		return err
	}
	version, err := pragmaInt(c, "user_version")
	if err != nil || version == 0 { // 0: its writer is just making it
		return err
	}
	return fn(c)
}

// Count counts the rows.
func (r *Reader) Count(ctx context.Context) (int64, error) {
	var n int64
	err := r.each(ctx, func(c *sqlite.Conn) error {
		return query(c, "SELECT (SELECT count(*) FROM request_rows) + coalesce((SELECT sum(rows) FROM blocks), 0)", nil, func(s *sqlite.Stmt) error {
			n += s.ColumnInt64(0)
			return nil
		})
	})
	return n, err
}

// CountByOutcome counts the rows of each outcome that occurs.
func (r *Reader) CountByOutcome(ctx context.Context) (map[logrow.Outcome]int64, error) {
	n := make(map[logrow.Outcome]int64)
	err := r.EachRow(ctx, func(row *logrow.Row) error {
		n[row.Outcome]++
		return nil
	})
	return n, err
}

// Sums adds up by key and model.
func (r *Reader) Sums(ctx context.Context) ([]tally.Sum, error) {
	at := make(map[[2]string]*tally.Sum)
	err := r.EachRow(ctx, func(row *logrow.Row) error {
		k := [2]string{row.Key, row.Model}
		if at[k] == nil {
			at[k] = &tally.Sum{Key: row.Key, Model: row.Model}
		}
		at[k].Add(tally.OfRow(row))
		return nil
	})
	var sums []tally.Sum
	for _, s := range at {
		sums = append(sums, *s)
	}
	return tally.Merge(sums), err
}

// EachRow walks the files by slot, and each in the order it was written.
func (r *Reader) EachRow(ctx context.Context, fn func(*logrow.Row) error) error {
	return r.each(ctx, func(c *sqlite.Conn) error { return rowsOf(c, fn) })
}

// ByRequestID scans for the rows of one request id.
func (r *Reader) ByRequestID(ctx context.Context, id string) ([]logrow.Row, error) {
	var found []logrow.Row
	err := r.each(ctx, func(c *sqlite.Conn) error {
		return rowsOf(c, func(row *logrow.Row) error {
			if string(row.ID()) == id {
				found = append(found, *row)
			}
			return nil
		})
	})
	return found, err
}

// rowsOf calls fn for each row of a file.
func rowsOf(c *sqlite.Conn, fn func(*logrow.Row) error) (err error) {
	// One read transaction: rows never name a label or an incarnation that was
	// not read.
	defer sqlitex.Save(c)(&err)
	type incarnation struct {
		writer int32
		epoch  int64
	}
	incs := make(map[int64]incarnation)
	err = query(c, "SELECT id, writer, epoch_ns FROM incarnations", nil, func(s *sqlite.Stmt) error {
		incs[s.ColumnInt64(0)] = incarnation{int32(s.ColumnInt64(1)), s.ColumnInt64(2)}
		return nil
	})
	if err != nil {
		return err
	}
	sets := make(map[int64]labels.Set)
	err = query(c, "SELECT id, surface, key, model, provider, reason FROM labels", nil, func(s *sqlite.Stmt) error {
		sets[s.ColumnInt64(0)] = labels.Set{
			Surface: s.ColumnText(1), Key: s.ColumnText(2), Model: s.ColumnText(3), Provider: s.ColumnText(4), Reason: s.ColumnText(5),
		}
		return nil
	})
	if err != nil {
		return err
	}
	pass := func(row *logrow.Row, incar, label int64) error {
		inc := incs[incar]
		row.Writer, row.Epoch = inc.writer, inc.epoch
		words, err := wordsOf(sets, label)
		if err != nil {
			return err
		}
		words.Put(row)
		return fn(row)
	}
	if err := plainRows(c, pass); err != nil {
		return err
	}
	var packed []byte
	return query(c, "SELECT id, incarnation, rows, packed FROM blocks ORDER BY id", nil, func(s *sqlite.Stmt) error {
		packed = slices.Grow(packed[:0], s.ColumnLen(3))[:s.ColumnLen(3)]
		s.ColumnBytes(3, packed)
		incar, n := s.ColumnInt64(1), s.ColumnInt64(2)
		err := unpack(packed, func(row *logrow.Row, label int64) error {
			n--
			return pass(row, incar, label)
		})
		if err == nil && n != 0 {
			err = fmt.Errorf("lacks %d rows", n)
		}
		if err != nil {
			return fmt.Errorf("block %d: %w", s.ColumnInt64(0), err)
		}
		return nil
	})
}

// plainRows reads the rows of schema version 1, each of them a row of SQLite.
func plainRows(c *sqlite.Conn, fn func(row *logrow.Row, incar, label int64) error) error {
	var id [logrow.MaxRequestID]byte
	return query(c, `SELECT incarnation, seq, started_ns, ttfb_ns, total_ns, request_id, label, status, outcome, stream, estimated,
		prompt_tok, output_tok, cost_nano, bytes_in, bytes_out FROM request_rows ORDER BY id`, nil, func(s *sqlite.Stmt) error {
		row := logrow.Row{
			Seq: s.ColumnInt64(1), StartedNs: s.ColumnInt64(2), TTFBNs: s.ColumnInt64(3), TotalNs: s.ColumnInt64(4),
			Status: int32(s.ColumnInt64(7)), Outcome: logrow.Outcome(s.ColumnInt64(8)),
			Stream: s.ColumnBool(9), Estimated: s.ColumnBool(10),
			PromptTok: s.ColumnInt64(11), OutputTok: s.ColumnInt64(12), CostNano: s.ColumnInt64(13),
			BytesIn: s.ColumnInt64(14), BytesOut: s.ColumnInt64(15),
		}
		row.SetID(id[:s.ColumnBytes(5, id[:])])
		return fn(&row, s.ColumnInt64(0), s.ColumnInt64(6))
	})
}

func query(c *sqlite.Conn, sql string, args []any, fn func(*sqlite.Stmt) error) error {
	return sqlitex.Execute(c, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: fn})
}
