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

	pack  packer
	cache labels.Cache
	fresh []labels.Set // made in the open transaction
}

// busyTimeout is how long a commit waits for a lock: readers take none that a
// WAL writer waits for, except while they recover or check a file in.
const busyTimeout = 5 * time.Second

// walPages is the WAL's length at which a commit checkpoints it, in pages of
// 4 KB. A row is about 45 bytes, so this is some 180,000 rows; longer spares
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
		{&w.insert, "INSERT INTO blocks (incarnation, rows, first_ns, last_ns, packed) VALUES (?1, ?2, ?3, ?4, ?5)"},
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
	if err := w.put(rows); err != nil {
		w.undo()
		return err
	}
	if err := exec(w.commit); err != nil {
		w.undo()
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// put inserts rows as one block.
func (w *Writer) put(rows []logrow.Row) error {
	if len(rows) == 0 {
		return nil
	}
	w.pack.begin()
	first, last := rows[0].StartedNs, rows[0].StartedNs
	for i := range rows {
		r := &rows[i]
		label, err := w.label(labels.Of(r))
		if err != nil {
			return err
		}
		w.pack.add(r, label)
		first, last = min(first, r.StartedNs), max(last, r.StartedNs)
	}
	s := w.insert
	s.BindInt64(1, w.incar)
	s.BindInt64(2, int64(len(rows)))
	s.BindInt64(3, first)
	s.BindInt64(4, last)
	s.BindBytes(5, w.pack.b)
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
