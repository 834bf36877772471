package sqlitelog

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

func rows(from, n int) []logrow.Row {
	out := make([]logrow.Row, n)
	for i := range out {
		out[i] = logrow.Row{Seq: int64(from + i), Outcome: logrow.Answered, Surface: "chat", Key: "k"}
		out[i].SetID([]byte(strings.Repeat("x", 60)))
	}
	return out
}

func openWriter(t *testing.T, o Options) *Writer {
	t.Helper()
	w, err := OpenWriter(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func count(t *testing.T, dir string) int64 {
	t.Helper()
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	n, err := r.Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// alter runs a script on a writer's file.
func alter(t *testing.T, path, script string) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := sqlitex.ExecuteScript(c, script, nil); err != nil {
		t.Fatal(err)
	}
}

func TestDurabilityPragmas(t *testing.T) {
	for full, want := range map[bool]int64{true: 2, false: 1} {
		w := openWriter(t, Options{Dir: t.TempDir(), Epoch: 1, Full: full})
		if got, err := pragmaInt(w.conn, "synchronous"); err != nil || got != want {
			t.Errorf("full %v: synchronous is %d, %v", full, got, err)
		}
		var mode string
		err := sqlitex.ExecuteTransient(w.conn, "PRAGMA journal_mode", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
			mode = s.ColumnText(0)
			return nil
		}})
		if err != nil || mode != "wal" {
			t.Errorf("journal mode is %q, %v", mode, err)
		}
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ story, script, want string }{
		{"a newer schema", "PRAGMA application_id = 1953263463; PRAGMA user_version = 99", "schema version 99, newer than this program's"},
		{"somebody else's file", "PRAGMA application_id = 7; CREATE TABLE x (n)", "of another application"},
		{"an unmarked file with a version", "PRAGMA user_version = 3; CREATE TABLE x (n)", "of another application"},
	} {
		t.Run(c.story, func(t *testing.T) {
			dir := t.TempDir()
			path := fileOf(dir, 0)
			alter(t, path, c.script)
			for _, err := range []error{
				func() error { _, err := OpenWriter(t.Context(), Options{Dir: dir, Epoch: 1}); return err }(),
				func() error { r, _ := OpenReader(dir); _, err := r.Count(t.Context()); return err }(),
			} {
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("got %v, want %q and the path", err, c.want)
				}
			}
		})
	}
}

func TestPlacesThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken := t.TempDir()
	if err := os.Mkdir(fileOf(taken, 0), 0o700); err != nil {
		t.Fatal(err)
	}
	garbage := t.TempDir()
	if err := os.WriteFile(fileOf(garbage, 0), []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ story, dir, want string }{
		{"the directory is a file", file, "make log directory"},
		{"the directory is below a file", filepath.Join(file, "x"), "make log directory"},
		{"the file is a directory", taken, "unable to open database file"},
		{"the file is no database", garbage, "not a database"},
	} {
		t.Run(c.story, func(t *testing.T) {
			_, err := OpenWriter(t.Context(), Options{Dir: c.dir, Epoch: 1})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.dir) {
				t.Errorf("got %v, want %q and the directory", err, c.want)
			}
		})
	}
	if _, err := OpenReader(filepath.Join(dir, "absent")); err == nil {
		t.Error("a reader of a directory that is not there was opened")
	}
	if _, err := OpenReader(file); err == nil {
		t.Error("a reader of a file was opened")
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenWriter(t.Context(), Options{Dir: dir, Epoch: 1}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("got %v, want an error that names the directory", err)
	}
}

func TestFullDiskFailsTheBatchWholeAndPasses(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, Options{Dir: dir, Epoch: 1, Full: true})
	if err := w.Write(t.Context(), rows(1, 10)); err != nil {
		t.Fatal(err)
	}
	pages, err := pragmaInt(w.conn, "page_count")
	if err != nil {
		t.Fatal(err)
	}
	// SQLite answers as it does when the disk is full.
	if err := sqlitex.ExecuteTransient(w.conn, "PRAGMA max_page_count = "+strconv.FormatInt(pages+1, 10), nil); err != nil {
		t.Fatal(err)
	}
	batch := rows(11, 1000)
	for i := range batch {
		batch[i].Model = "first seen in the batch that fails"
	}
	err = w.Write(t.Context(), batch)
	if err == nil || !strings.Contains(err.Error(), "database or disk is full") || !strings.Contains(err.Error(), w.path) {
		t.Fatalf("got %v", err)
	}
	if w.Retryable(err) {
		t.Error("a full disk is taken for a fault that passes")
	}
	if n := count(t, dir); n != 10 {
		t.Fatalf("%d rows after a failed batch, want 10", n)
	}
	if err := sqlitex.ExecuteTransient(w.conn, "PRAGMA max_page_count = 1000000", nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := r.Sums(t.Context())
	if err != nil || len(sums) != 2 || sums[0].Rows != 10 || sums[1].Rows != 1000 || sums[1].Model != batch[0].Model {
		t.Fatalf("got %+v (%v), want 10 rows and 1000 of the new model", sums, err)
	}
}

func TestLockIsWaitedForByTrying(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, Options{Dir: dir, Epoch: 1})
	w.conn.SetBusyTimeout(0)
	other, err := sqlite.OpenConn(w.path, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := sqlitex.ExecuteTransient(other, "BEGIN IMMEDIATE", nil); err != nil {
		t.Fatal(err)
	}
	err = w.Write(t.Context(), rows(1, 1))
	if err == nil || !w.Retryable(err) {
		t.Fatalf("a locked file: %v, retryable %v", err, w.Retryable(err))
	}
	if err := sqlitex.ExecuteTransient(other, "ROLLBACK", nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), rows(1, 1)); err != nil {
		t.Fatal(err)
	}
}

func TestInterruptedBatchLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	w := openWriter(t, Options{Dir: dir, Epoch: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.Write(ctx, rows(1, 10)); err == nil {
		t.Fatal("a batch went through after its context ended")
	}
	if err := w.Write(t.Context(), rows(1, 10)); err != nil {
		t.Fatal(err)
	}
	if n := count(t, dir); n != 10 {
		t.Fatalf("%d rows, want 10", n)
	}
}

func TestTwoWritersOfOneSlotMix(t *testing.T) {
	dir := t.TempDir()
	a, b := openWriter(t, Options{Dir: dir, Epoch: 1}), openWriter(t, Options{Dir: dir, Epoch: 2})
	for i := range 5 {
		for _, w := range []*Writer{a, b} {
			if err := w.Write(t.Context(), rows(1+i*3, 3)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := count(t, dir); n != 30 {
		t.Fatalf("%d rows, want 30", n)
	}
	if _, err := OpenWriter(t.Context(), Options{Dir: dir, Epoch: 1}); err == nil {
		t.Error("one incarnation was registered twice")
	}
}

func TestReaderPassesOverOtherFiles(t *testing.T) {
	dir := t.TempDir()
	for _, slot := range []int32{10, 2} {
		if err := openWriter(t, Options{Dir: dir, Writer: slot, Epoch: 1}).Write(t.Context(), rows(1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"requests-x.db", "requests-3.db.bak", "notes.txt", "requests--1.db"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	alter(t, fileOf(dir, 4), "SELECT 1") // just being made
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	var writers []int32
	err = r.EachRow(t.Context(), func(row *logrow.Row) error {
		writers = append(writers, row.Writer)
		return nil
	})
	if err != nil || len(writers) != 2 || writers[0] != 2 || writers[1] != 10 {
		t.Errorf("rows of writers %v, %v; want 2, then 10", writers, err)
	}
}

func TestRowsOfTheFirstSchemaAreStillRead(t *testing.T) {
	dir := t.TempDir()
	alter(t, fileOf(dir, 6), migrations[0]+`
		INSERT INTO incarnations VALUES (1, 6, 8);
		INSERT INTO labels VALUES (1, 'chat', 'k', 'm', 'p', 'rate_limit_requests');
		INSERT INTO request_rows VALUES (1, 1, 5, 100, 10, 20, 'old', 1, 429, 2, 0, 0, 3, 4, 6, 7, 9);
		PRAGMA application_id = `+strconv.Itoa(applicationID)+`; PRAGMA user_version = 1;`)
	w := openWriter(t, Options{Dir: dir, Writer: 6, Epoch: 9})
	if err := w.Write(t.Context(), rows(1, 2)); err != nil {
		t.Fatal(err)
	}
	if n := count(t, dir); n != 3 {
		t.Fatalf("%d rows, want 3", n)
	}
	r, err := OpenReader(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []logrow.Row
	if err := r.EachRow(t.Context(), func(row *logrow.Row) error { got = append(got, *row); return nil }); err != nil {
		t.Fatal(err)
	}
	old := logrow.Row{
		Writer: 6, Seq: 5, Epoch: 8, StartedNs: 100, TTFBNs: 10, TotalNs: 20, Surface: "chat", Key: "k", Model: "m", Provider: "p",
		Status: 429, Outcome: logrow.Rejected, Reason: "rate_limit_requests", PromptTok: 3, OutputTok: 4, CostNano: 6, BytesIn: 7, BytesOut: 9,
	}
	old.SetID([]byte("old"))
	if len(got) != 3 || got[0] != old || got[1].Epoch != 9 || got[2].Seq != 2 {
		t.Errorf("got %+v", got)
	}
}
