package logstore_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/logstore/logstoretest"
	"github.com/tollgate-lab/tollgate/gateway/pgtest"
)

// BenchmarkAppend is a row's whole way into a store: cpu-µs/row is of this
// process, flusher included, server-µs/row of PostgreSQL's processes. An
// operation is one row under async and memory (the queue blocks, so that
// nothing is dropped), and one wave of rows in flight together under group and
// sync. The floor is an Append that does nothing.
func BenchmarkAppend(b *testing.B) {
	b.Run("store=floor", func(b *testing.B) { run(b, logstore.Config{Store: logstore.Off}, 1, nil) })
	b.Run("store=memory", func(b *testing.B) { run(b, logstore.Config{Store: logstore.Memory}, 1, nil) })
	for _, store := range []logstore.Kind{logstore.SQLite, logstore.Postgres} {
		for _, c := range []struct {
			durability logstore.Durability
			inflight   int
		}{{logstore.Async, 1}, {logstore.Group, 1}, {logstore.Group, 50}, {logstore.Group, 256}, {logstore.Sync, 50}} {
			name := fmt.Sprintf("store=%s/durability=%s/inflight=%d", store, c.durability, c.inflight)
			b.Run(name, func(b *testing.B) {
				cfg := logstore.Config{Store: store, Durability: c.durability, Overflow: logstore.Block, QueueRows: 4096}
				var db *pgtest.Database
				if store == logstore.SQLite {
					cfg.Path = b.TempDir()
				} else {
					db = pgtest.ForTest(b)
					cfg.DSN = db.DSN()
				}
				run(b, cfg, c.inflight, db)
			})
		}
	}
}

// wave is told for each of the rows that are in flight together.
type wave struct {
	sync.WaitGroup
	b *testing.B
}

func (w *wave) Stored(err error) {
	if err != nil {
		w.b.Error(err)
	}
	w.Done()
}

func run(b *testing.B, cfg logstore.Config, inflight int, db *pgtest.Database) {
	s, err := logstore.Open(b.Context(), cfg, 0)
	if err != nil {
		b.Fatal(err)
	}
	rows := make([]logrow.Row, 256)
	g := logstoretest.NewRows("0123456789abcdef0123456789", 1) // ids of 33 bytes
	for i := range rows {
		rows[i] = g.Next()
	}
	server := func() time.Duration { return 0 }
	if db != nil {
		server = func() time.Duration { return cpuOf(db.PIDs()) }
	}
	w := &wave{b: b}
	// Every set of words is seen once before.
	w.Add(len(rows))
	for i := range rows {
		if !s.Append(&rows[i], w) {
			w.Done()
		}
	}
	w.Wait()
	cpu, serverCPU, start := cpuOfSelf(), server(), time.Now()
	b.ReportAllocs()
	var n int
	if s.Awaits() {
		for b.Loop() {
			w.Add(inflight)
			for range inflight {
				s.Append(&rows[n%len(rows)], w)
				n++
			}
			w.Wait()
		}
	} else {
		for b.Loop() {
			s.Append(&rows[n%len(rows)], nil)
			n++
		}
	}
	serverCPU = server() - serverCPU // while its session lives
	if err := s.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	took := time.Since(start)
	cpu = cpuOfSelf() - cpu
	if st := s.Stats(); cfg.Store != logstore.Off && st.Stored != int64(n+len(rows)) {
		b.Fatalf("%+v of %d rows", st, n+len(rows))
	}
	perRow := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(n) }
	b.ReportMetric(float64(n)/took.Seconds(), "rows/s")
	b.ReportMetric(perRow(cpu), "cpu-µs/row")
	if db != nil {
		b.ReportMetric(perRow(serverCPU), "server-µs/row")
	}
}
