package sqlitelog

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore/labels"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Options opens a Writer.
type Options struct {
	Dir    string // made when missing
	Writer int32  // slot, from 0
	Epoch  int64  // the incarnation's start, Unix ns
	Full   bool   // synchronous=FULL: a commit survives a power cut
}

// Writer appends batches to one file. It is used by one goroutine at a time.
type Writer struct {
	conn  *sqlite.Conn
	path  string
	incar int64 // id of this incarnation

	begin, commit, rollback, insert *sqlite.Stmt

	cache labels.Cache
	fresh []labels.Set // made in the open transaction
}

// busyTimeout is how long a commit waits for a lock: readers take none that a
// WAL writer waits for, except while they recover or check a file in.
const busyTimeout = 5 * time.Second

// walPages is the WAL's length at which a commit checkpoints it, in pages of
// 4 KB. A row is about 110 bytes, so this is some 70,000 rows; longer spares
// few rewritten pages and takes more disk.
const walPages = 2000

// OpenWriter opens or makes the writer's file and registers the incarnation.
func OpenWriter(ctx context.Context, o Options) (*Writer, error) {
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("make log directory %s: %w", o.Dir, err)
	}
	w := &Writer{path: fileOf(o.Dir, o.Writer)}
	conn, err := sqlite.OpenConn(w.path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", w.path, err)
	}
	w.conn = conn
	if err := w.prepare(ctx, o); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("open %s: %w", w.path, err)
	}
	return w, nil
}

func (w *Writer) prepare(ctx context.Context, o Options) error {
	c := w.conn
	c.SetInterrupt(ctx.Done())
	defer c.SetInterrupt(nil)
	c.SetBusyTimeout(busyTimeout)
	if err := checkFile(c, w.path); err != nil {
		return err
	}
	sync := "NORMAL"
	if o.Full {
		sync = "FULL"
	}
	for _, p := range []string{
		"PRAGMA journal_mode = WAL",
		"PRAGMA synchronous = " + sync,
		fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", walPages),
		"PRAGMA cache_size = -2048", // KB: an append touches the last pages only
		"PRAGMA temp_store = MEMORY",
	} {
		if err := sqlitex.ExecuteTransient(c, p, nil); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	if err := migrate(c, w.path); err != nil {
		return err
	}
	err := sqlitex.ExecuteTransient(c, "INSERT INTO incarnations (writer, epoch_ns) VALUES (?, ?)",
		&sqlitex.ExecOptions{Args: []any{int64(o.Writer), o.Epoch}})
	if err != nil {
		return fmt.Errorf("register writer %d, epoch %d: %w", o.Writer, o.Epoch, err)
	}
	w.incar = c.LastInsertRowID()
	for _, s := range []struct {
		to  **sqlite.Stmt
		sql string
	}{
		{&w.begin, "BEGIN IMMEDIATE"},
		{&w.commit, "COMMIT"},
		{&w.rollback, "ROLLBACK"},
		// One row a statement: of ten or fifty rows each, SQLite first gathers
		// the values in a transient table, at two to three times the cost.
		{&w.insert, `INSERT INTO request_rows (incarnation, seq, started_ns, ttfb_ns, total_ns, request_id, label, status, outcome,
			stream, estimated, prompt_tok, output_tok, cost_nano, bytes_in, bytes_out)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)`},
	} {
		if *s.to, err = c.Prepare(s.sql); err != nil {
			return err
		}
	}
	return nil
}

// Write commits rows in one transaction. ctx interrupts it only between
// statements.
func (w *Writer) Write(ctx context.Context, rows []logrow.Row) error {
	w.conn.SetInterrupt(ctx.Done())
	defer w.conn.SetInterrupt(nil)
	if err := w.write(rows); err != nil {
		return fmt.Errorf("write %d rows to %s: %w", len(rows), w.path, err)
	}
	return nil
}

func (w *Writer) write(rows []logrow.Row) error {
	if err := exec(w.begin); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	w.fresh = w.fresh[:0]
	for i := range rows {
		label, err := w.label(labels.Of(&rows[i]))
		if err == nil {
			err = w.put(&rows[i], label)
		}
		if err != nil {
			w.undo()
			return err
		}
	}
	if err := exec(w.commit); err != nil {
		w.undo()
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func (w *Writer) put(r *logrow.Row, label int64) error {
	s := w.insert
	s.BindInt64(1, w.incar)
	s.BindInt64(2, r.Seq)
	s.BindInt64(3, r.StartedNs)
	s.BindInt64(4, r.TTFBNs)
	s.BindInt64(5, r.TotalNs)
	s.BindText(6, asString(r.ID()))
	s.BindInt64(7, label)
	s.BindInt64(8, int64(r.Status))
	s.BindInt64(9, int64(r.Outcome))
	s.BindBool(10, r.Stream)
	s.BindBool(11, r.Estimated)
	s.BindInt64(12, r.PromptTok)
	s.BindInt64(13, r.OutputTok)
	s.BindInt64(14, r.CostNano)
	s.BindInt64(15, r.BytesIn)
	s.BindInt64(16, r.BytesOut)
	return exec(s)
}

// undo ends a transaction that failed, unless SQLite ended it already, and
// forgets its labels. It must run even when the batch was interrupted.
func (w *Writer) undo() {
	w.conn.SetInterrupt(nil)
	if !w.conn.AutocommitEnabled() {
		_ = exec(w.rollback)
	}
	for _, set := range w.fresh {
		w.cache.Forget(set)
	}
}

// exec runs a prepared statement that returns no rows.
func exec(s *sqlite.Stmt) error {
	if _, err := s.Step(); err != nil {
		return err
	}
	return s.Reset()
}

// label is the number of s; a new one is made in the open transaction.
func (w *Writer) label(s labels.Set) (int64, error) {
	if id, ok := w.cache.Get(s); ok {
		return id, nil
	}
	id, err := w.makeLabel(s)
	if err != nil {
		return 0, fmt.Errorf("make label: %w", err)
	}
	w.fresh = append(w.fresh, s)
	w.cache.Put(s, id)
	return id, nil
}

func (w *Writer) makeLabel(s labels.Set) (int64, error) {
	args := &sqlitex.ExecOptions{Args: []any{s.Surface, s.Key, s.Model, s.Provider, s.Reason}}
	err := sqlitex.Execute(w.conn, `INSERT INTO labels (surface, key, model, provider, reason) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, args)
	if err != nil {
		return 0, err
	}
	var id int64
	args.ResultFunc = func(st *sqlite.Stmt) error {
		id = st.ColumnInt64(0)
		return nil
	}
	err = sqlitex.Execute(w.conn, `SELECT id FROM labels WHERE surface = ? AND key = ? AND model = ? AND provider = ? AND reason = ?`, args)
	return id, err
}

// Retryable reports whether err may pass by itself: only a lock does. A full
// disk, a lost file or bad permissions wait for somebody.
func (w *Writer) Retryable(err error) bool {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultBusy, sqlite.ResultLocked:
		return true
	}
	return false
}

// Close closes the file; the last one to close checkpoints it.
func (w *Writer) Close() error {
	w.conn.SetInterrupt(nil)
	if err := w.conn.Close(); err != nil {
		return fmt.Errorf("close %s: %w", w.path, err)
	}
	return nil
}
