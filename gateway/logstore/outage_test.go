package logstore_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/logstore/logstoretest"
	"github.com/tollgate-lab/tollgate/gateway/pgtest"
)

// load appends rows from several goroutines, each waiting for its row where
// the store lets it, until it is stopped.
type load struct {
	stop   atomic.Bool
	stored atomic.Int64 // told nil
	failed atomic.Int64 // told an error
	all    sync.WaitGroup
	mu     sync.Mutex
	acked  map[string]bool
}

func startLoad(s logstore.Store) *load {
	l := &load{acked: make(map[string]bool)}
	for a := range 8 {
		l.all.Go(func() {
			g := logstoretest.NewRows(fmt.Sprintf("load-%d", a), uint64(a))
			told := make(chanCompletion, 1)
			for !l.stop.Load() {
				row := g.Next()
				if !s.Append(&row, told) {
					continue
				}
				if err := <-told; err != nil {
					l.failed.Add(1)
					continue
				}
				l.stored.Add(1)
				l.mu.Lock()
				l.acked[string(row.ID())] = true
				l.mu.Unlock()
			}
		})
	}
	return l
}

type chanCompletion chan error

func (c chanCompletion) Stored(err error) { c <- err }

func (l *load) end() {
	l.stop.Store(true)
	l.all.Wait()
}

func TestPostgresCrashesAndComesBackUnderLoad(t *testing.T) {
	for _, d := range []logstore.Durability{logstore.Sync, logstore.Group} {
		t.Run("durability="+string(d), func(t *testing.T) {
			c := pgtest.StartForTest(t, pgtest.Options{})
			cfg := logstore.Config{Store: logstore.Postgres, DSN: c.DSN(), Durability: d, RetryFor: 30 * time.Second}
			s, err := logstore.Open(t.Context(), cfg, 0)
			if err != nil {
				t.Fatal(err)
			}
			l := startLoad(s)
			for range 2 {
				was := l.stored.Load()
				until(t, "rows are stored", func() bool { return l.stored.Load() > was+100 })
				if err := c.Crash(); err != nil {
					t.Fatal(err)
				}
				if err := c.Restart(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			was := l.stored.Load()
			until(t, "rows are stored after the crashes", func() bool { return l.stored.Load() > was+100 })
			l.end()
			if err := s.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := l.failed.Load(); n != 0 {
				t.Errorf("%d rows were told an error though the server came back in time", n)
			}
			st := s.Stats()
			if st.Retries == 0 {
				t.Error("no commit was tried again: the crashes hit nothing")
			}
			r, err := logstore.OpenReader(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			rows := logstoretest.All(t, r)
			logstoretest.CheckSequence(t, rows, int(st.Stored))
			for _, row := range rows {
				delete(l.acked, string(row.ID()))
			}
			if len(l.acked) != 0 {
				t.Errorf("%d acknowledged rows are not there", len(l.acked))
			}
		})
	}
}

func TestPostgresSessionsEndedUnderLoad(t *testing.T) {
	db := pgtest.ForTest(t)
	cfg := logstore.Config{Store: logstore.Postgres, DSN: db.DSN(), Durability: logstore.Group}
	s, err := logstore.Open(t.Context(), cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	l := startLoad(s)
	for range 10 {
		was := l.stored.Load()
		until(t, "rows are stored", func() bool { return l.stored.Load() > was+20 })
		if err := db.EndSessions(t.Context(), db.Name); err != nil {
			t.Fatal(err)
		}
	}
	l.end()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	st := s.Stats()
	if l.failed.Load() != 0 || st.Retries == 0 {
		t.Errorf("%d rows told an error; %+v", l.failed.Load(), st)
	}
	r, err := logstore.OpenReader(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	logstoretest.CheckSequence(t, logstoretest.All(t, r), int(l.stored.Load()))
}

func TestPostgresAwayFillsTheQueueAndNoMore(t *testing.T) {
	c := pgtest.StartForTest(t, pgtest.Options{})
	cfg := logstore.Config{Store: logstore.Postgres, DSN: c.DSN(), QueueRows: 100, BatchRows: 10, FlushInterval: time.Millisecond}
	s, err := logstore.Open(t.Context(), cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Crash(); err != nil {
		t.Fatal(err)
	}
	g := logstoretest.NewRows("away", 1)
	for range 250 {
		row := g.Next()
		s.Append(&row, nil)
	}
	if st := s.Stats(); st.Queue != 100 || st.Dropped != 150 {
		t.Errorf("%+v, want 100 rows queued and 150 dropped", st)
	}
	until(t, "a commit is tried again", func() bool { return s.Stats().Retries > 0 })
	if err := c.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := logstore.OpenReader(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	logstoretest.CheckSequence(t, logstoretest.All(t, r), 100)
}

func TestSQLitePlaceThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := logstore.Open(t.Context(), logstore.Config{Store: logstore.SQLite, Path: file}, 4)
	if want := "open log store sqlite for writer 4: make log directory " + file; err == nil || err.Error()[:len(want)] != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// until polls an observable condition with a deadline.
func until(t *testing.T, what string, cond func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !cond() {
		select {
		case <-ctx.Done():
			t.Fatalf("not within a minute: %s", what)
		case <-tick.C:
		}
	}
}
