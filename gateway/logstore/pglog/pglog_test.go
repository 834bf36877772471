package pglog

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func rows(from, n int) []logrow.Row {
	out := make([]logrow.Row, n)
	for i := range out {
		out[i] = logrow.Row{Seq: int64(from + i), Outcome: logrow.Answered, Surface: "chat", Key: "k", Status: 200}
		out[i].SetID([]byte("id"))
	}
	return out
}

func openWriter(t *testing.T, o Options) *Writer {
	t.Helper()
	if o.Conns == 0 {
		o.Conns = 2
	}
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	w, err := OpenWriter(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func write(t *testing.T, w *Writer, rows []logrow.Row) {
	t.Helper()
	if err := w.Write(t.Context(), rows); err != nil {
		t.Fatal(err)
	}
}

// wantSeqs checks that the sequences 1 to n are there, once each.
func wantSeqs(t *testing.T, dsn string, n int) {
	t.Helper()
	r, err := OpenReader(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var next int64
	err = r.EachRow(t.Context(), func(row *logrow.Row) error {
		if next++; row.Seq != next {
			t.Errorf("sequence %d where %d was due", row.Seq, next)
		}
		return nil
	})
	if err != nil || next != int64(n) {
		t.Errorf("%d rows (%v), want %d", next, err, n)
	}
}

func scan[T any](t *testing.T, w *Writer, sql string) (v T) {
	t.Helper()
	if err := w.pool.QueryRow(t.Context(), sql).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestBrokenConnections(t *testing.T) {
	for _, c := range []struct {
		story string
		at    cutPoint
		there int // rows before the batch is sent again
	}{
		{"the commit took place, its answer is lost", afterCommit, 7},
		{"the connection ends before the batch does", beforeDone, 2},
	} {
		t.Run(c.story, func(t *testing.T) {
			dsn := pgtest.ForTest(t).DSN()
			p, through := newProxy(t, dsn)
			w := openWriter(t, Options{DSN: through, Epoch: 1, SyncCommit: true})
			write(t, w, rows(1, 2))
			cut := p.arm(c.at)
			err := w.Write(t.Context(), rows(3, 5))
			if err == nil {
				t.Fatal("the batch went through a broken connection")
			}
			<-cut.done
			if !w.Retryable(err) {
				t.Errorf("%v is not taken for a fault that passes", err)
			}
			wantSeqs(t, dsn, c.there)
			write(t, w, rows(3, 5))
			wantSeqs(t, dsn, 7)
			write(t, w, rows(8, 1))
			wantSeqs(t, dsn, 8)
		})
	}
}

func TestBatchGivenUpAfterAnUnknownCommit(t *testing.T) {
	dsn := pgtest.ForTest(t).DSN()
	p, through := newProxy(t, dsn)
	w := openWriter(t, Options{DSN: through, Epoch: 1})
	cut := p.arm(afterCommit)
	if err := w.Write(t.Context(), rows(1, 5)); err == nil {
		t.Fatal("the batch went through a broken connection")
	}
	<-cut.done
	write(t, w, rows(6, 5)) // the next batch finds the mark where the lost one put it
	wantSeqs(t, dsn, 10)
}

func TestCommitThatHappensAfterTheBatchWasSentAgain(t *testing.T) {
	dsn := pgtest.ForTest(t).DSN()
	p, through := newProxy(t, dsn)
	w := openWriter(t, Options{DSN: through, Epoch: 1})
	watch := openWriter(t, Options{DSN: dsn, Epoch: 2, Writer: 9})
	cut := p.arm(holdDone)
	if err := w.Write(t.Context(), rows(1, 5)); err == nil {
		t.Fatal("the batch went through a broken connection")
	}
	<-cut.done
	again := make(chan error, 1)
	go func() { again <- w.Write(t.Context(), rows(1, 5)) }()
	until(t, "the second sending waits for the first one's transaction", func() bool {
		return scan[int](t, watch, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == 1
	})
	cut.release()
	if err := <-again; err != nil {
		t.Fatal(err)
	}
	wantSeqs(t, dsn, 5)
}

func TestMarkMovedBySomebodyElse(t *testing.T) {
	w := openWriter(t, Options{DSN: pgtest.ForTest(t).DSN(), Epoch: 1})
	write(t, w, rows(1, 2))
	if _, err := w.pool.Exec(t.Context(), "UPDATE tollgate_log_writers SET last_seq = 4"); err != nil {
		t.Fatal(err)
	}
	err := w.Write(t.Context(), rows(3, 5))
	if !errors.Is(err, errMark) || w.Retryable(err) {
		t.Fatalf("got %v", err)
	}
}

func TestManyWorkersMakeTheSchemaAtOnce(t *testing.T) {
	dsn := pgtest.ForTest(t).DSN()
	var all sync.WaitGroup
	for slot := range int32(8) {
		all.Go(func() {
			w, err := OpenWriter(t.Context(), Options{DSN: dsn, Writer: slot, Epoch: 1, Conns: 1, Timeout: time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			defer w.Close()
			if err := w.Write(t.Context(), rows(1, 3)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	r, err := OpenReader(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := r.Count(t.Context()); err != nil || n != 24 {
		t.Errorf("%d rows (%v), want 24", n, err)
	}
}

func TestSchemasThatAreRefused(t *testing.T) {
	dsn := pgtest.ForTest(t).DSN()
	if _, err := OpenReader(t.Context(), dsn); err == nil || !strings.Contains(err.Error(), "holds no request log") {
		t.Errorf("an empty database: %v", err)
	}
	w := openWriter(t, Options{DSN: dsn, Epoch: 1})
	if _, err := OpenWriter(t.Context(), w.o); err == nil || !strings.Contains(err.Error(), "register writer 0, epoch 1") {
		t.Errorf("one incarnation twice: %v", err)
	}
	if _, err := w.pool.Exec(t.Context(), "UPDATE tollgate_log_meta SET version = 99"); err != nil {
		t.Fatal(err)
	}
	_, writeErr := OpenWriter(t.Context(), Options{DSN: dsn, Epoch: 2, Conns: 1, Timeout: time.Minute})
	_, readErr := OpenReader(t.Context(), dsn)
	for _, err := range []error{writeErr, readErr} {
		if err == nil || !strings.Contains(err.Error(), "version 99, newer than this program's") {
			t.Errorf("a newer schema: %v", err)
		}
	}
}

func TestServerThatIsNotThere(t *testing.T) {
	for _, c := range []struct{ story, dsn, want string }{
		{"nobody listens", "postgres://u:secret@127.0.0.1:1/db?sslmode=disable", "refused"},
		{"not a DSN", "postgres://u:secret@[", "dsn: "},
	} {
		t.Run(c.story, func(t *testing.T) {
			_, err := OpenWriter(t.Context(), Options{DSN: c.dsn, Epoch: 1, Conns: 1, Timeout: time.Minute})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want %q and no password", err, c.want)
			}
		})
	}
}

func TestSynchronousCommitIsStated(t *testing.T) {
	for sync, want := range map[bool]string{true: "on", false: "off"} {
		w := openWriter(t, Options{DSN: pgtest.ForTest(t).DSN(), Epoch: 1, SyncCommit: sync})
		// A trigger tells what the transaction of the batch saw.
		_, err := w.pool.Exec(t.Context(), "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS "+
			"'BEGIN NEW.request_id := current_setting(''synchronous_commit''); RETURN NEW; END'")
		if err == nil {
			_, err = w.pool.Exec(t.Context(), "CREATE TRIGGER t BEFORE INSERT ON tollgate_log_rows FOR EACH ROW EXECUTE FUNCTION f()")
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, w, rows(1, 1))
		if got := scan[string](t, w, "SELECT request_id FROM tollgate_log_rows"); got != want {
			t.Errorf("synchronous_commit was %s, want %s", got, want)
		}
		if got := scan[string](t, w, "SHOW synchronous_commit"); got != "on" {
			t.Errorf("the session kept synchronous_commit = %s", got)
		}
	}
}

func TestViewShowsWholeRows(t *testing.T) {
	w := openWriter(t, Options{DSN: pgtest.ForTest(t).DSN(), Writer: 6, Epoch: 8})
	r := rows(1, 1)
	r[0].Outcome, r[0].Reason, r[0].Status = logrow.Rejected, "rate_limit_requests", 429
	r[0].Key = "a\x00b\xff" // no text: replaced
	write(t, w, r)
	got := scan[string](t, w, "SELECT concat_ws(' ', writer, epoch_ns, surface, key, outcome, reason, status) FROM tollgate_log")
	if want := "6 8 chat a?b? rejected rate_limit_requests 429"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestHungServerIsGivenUp(t *testing.T) {
	dsn := pgtest.ForTest(t).DSN()
	w := openWriter(t, Options{DSN: dsn, Epoch: 1, Timeout: 300 * time.Millisecond})
	other := openWriter(t, Options{DSN: dsn, Epoch: 2, Writer: 1})
	write(t, w, rows(1, 1))
	tx, err := other.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "LOCK TABLE tollgate_log_rows"); err != nil {
		t.Fatal(err)
	}
	err = w.Write(t.Context(), rows(2, 3))
	if !errors.Is(err, context.DeadlineExceeded) || !w.Retryable(err) {
		t.Errorf("got %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The server may have gone on with the first sending: the second one finds
	// out. Its own time may end while it waits for that.
	until(t, "the batch is taken", func() bool { return w.Write(t.Context(), rows(2, 3)) == nil })
	wantSeqs(t, dsn, 4)
}

// until polls an observable condition with a deadline.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-ctx.Done():
			t.Fatalf("not within 30 s: %s", what)
		case <-tick.C:
		}
	}
}
