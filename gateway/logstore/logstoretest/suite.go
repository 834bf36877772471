package logstoretest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/logstore/tally"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// Run is the suite. Each call of fresh names an empty place for a store; its
// durability and sizes are set here.
func Run(t *testing.T, fresh func(t *testing.T) logstore.Config) {
	kinds := []logstore.Durability{logstore.Sync, logstore.Group, logstore.Async}
	for _, d := range kinds {
		t.Run("durability="+string(d), func(t *testing.T) {
			for _, c := range []struct {
				story string
				run   func(*testing.T, logstore.Config)
			}{
				{"rows come back whole", wholeRows},
				{"rows of concurrent appenders arrive once and in order", onceInOrder},
				{"close commits what was accepted and refuses what comes later", closeFlushes},
				{"a second incarnation adds to the first", reopen},
				{"a reader sees a growing prefix while rows are written", readWhileWriting},
				{"sums agree with the rows", sums},
				{"the ledger is fed", feedsLedger},
			} {
				t.Run(c.story, func(t *testing.T) {
					cfg := fresh(t)
					cfg.Durability = d
					c.run(t, cfg)
				})
			}
		})
	}
}

func open(t *testing.T, cfg logstore.Config, writer int, opts ...logstore.Option) logstore.Store {
	t.Helper()
	s, err := logstore.Open(t.Context(), cfg, writer, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, s) })
	return s
}

func closeStore(t *testing.T, s logstore.Store) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}

// reader reads stores of one place; the memory store only itself.
func reader(t *testing.T, cfg logstore.Config, s logstore.Store) logstore.Reader {
	t.Helper()
	if r, ok := logstore.ReaderOf(s); ok {
		return r
	}
	r, err := logstore.OpenReader(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// All reads every row.
func All(t testing.TB, r logstore.Reader) []logrow.Row {
	t.Helper()
	var rows []logrow.Row
	err := r.EachRow(t.Context(), func(row *logrow.Row) error {
		rows = append(rows, *row)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// appendAll appends rows and checks what Append and Awaits promise.
func appendAll(t *testing.T, s logstore.Store, rows []logrow.Row) {
	t.Helper()
	done := NewCompletions(t)
	for i := range rows {
		if s.Append(&rows[i], done.New()) != s.Awaits() {
			t.Fatal("Append and Awaits disagree")
		}
	}
	if !s.Awaits() {
		return
	}
	for _, err := range done.Wait() {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func makeRows(name string, n int) []logrow.Row {
	g := NewRows(name, uint64(len(name)))
	rows := make([]logrow.Row, n)
	for i := range rows {
		rows[i] = g.Next()
	}
	return rows
}

func wholeRows(t *testing.T, cfg logstore.Config) {
	s := open(t, cfg, 3, logstore.WithEpoch(77))
	rows := makeRows("whole", 40)
	rows[1] = logrow.Row{Outcome: logrow.Answered} // the least a row can say
	rows[2].SetID(slices.Repeat([]byte("x"), 100)) // cut
	const most = 1<<63 - 1
	rows[3].CostNano, rows[3].BytesOut, rows[3].StartedNs, rows[3].TotalNs = most, most, most, most
	rows[4].CostNano, rows[4].PromptTok = -most, -1
	rows[5].Status = 999
	appendAll(t, s, rows)
	closeStore(t, s)
	for i := range rows {
		rows[i].Writer, rows[i].Epoch, rows[i].Seq = 3, 77, int64(i+1)
	}
	r := reader(t, cfg, s)
	if diff := cmp.Diff(rows, All(t, r)); diff != "" {
		t.Error(diff)
	}
	for _, i := range []int{0, 1, 2} {
		got, err := r.ByRequestID(t.Context(), string(rows[i].ID()))
		if err != nil || len(got) != 1 || got[0] != rows[i] {
			t.Errorf("row %d by its id %q: %v, %v", i, rows[i].ID(), got, err)
		}
	}
	if got, err := r.ByRequestID(t.Context(), "absent"); err != nil || len(got) != 0 {
		t.Errorf("an absent id: %v, %v", got, err)
	}
	stop := errors.New("stop")
	var seen int
	err := r.EachRow(t.Context(), func(*logrow.Row) error { seen++; return stop })
	if !errors.Is(err, stop) || seen != 1 {
		t.Errorf("a walk that was stopped at its first row: %v after %d rows", err, seen)
	}
}

func onceInOrder(t *testing.T, cfg logstore.Config) {
	const writers, appenders, each = 2, 8, 40
	cfg.BatchRows = 33 // several commits, the last one short
	for w := range writers {
		if cfg.Store == logstore.Memory && w > 0 {
			break // each memory store stands alone
		}
		s := open(t, cfg, w)
		var (
			all  sync.WaitGroup
			done = NewCompletions(t)
		)
		for a := range appenders {
			all.Go(func() {
				for _, row := range makeRows(fmt.Sprintf("w%d-a%d", w, a), each) {
					s.Append(&row, done.New())
				}
			})
		}
		all.Wait()
		if s.Awaits() {
			for _, err := range done.Wait() {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		closeStore(t, s)
		if st := s.Stats(); st.Appended != appenders*each || st.Stored != appenders*each || st.Dropped+st.Failed+st.Queue != 0 {
			t.Errorf("writer %d: %+v, want %d rows appended and stored", w, st, appenders*each)
		}
		r := reader(t, cfg, s)
		CheckSequence(t, All(t, r), (w+1)*appenders*each)
		if n, err := r.Count(t.Context()); err != nil || n != int64((w+1)*appenders*each) {
			t.Errorf("Count is %d, %v", n, err)
		}
	}
}

// CheckSequence checks that rows are n, that no request id comes twice, that
// each incarnation's sequence runs from 1 without a gap, and that each
// appender's rows (named by their ids up to the last dash) are in its order.
func CheckSequence(t testing.TB, rows []logrow.Row, n int) {
	t.Helper()
	if len(rows) != n {
		t.Errorf("%d rows, want %d", len(rows), n)
	}
	type incarnation struct {
		writer int32
		epoch  int64
	}
	next := make(map[incarnation]int64)
	lastID := make(map[string]string)
	for i := range rows {
		r := &rows[i]
		in := incarnation{r.Writer, r.Epoch}
		if next[in]++; r.Seq != next[in] {
			t.Fatalf("row %d of writer %d, epoch %d has sequence %d, want %d", i, r.Writer, r.Epoch, r.Seq, next[in])
		}
		id := string(r.ID())
		from := fmt.Sprint(in, id[:len(id)-7])
		if id <= lastID[from] {
			t.Fatalf("row %s comes after %s", id, lastID[from])
		}
		lastID[from] = id
	}
}

func closeFlushes(t *testing.T, cfg logstore.Config) {
	cfg.FlushInterval = logstore.MaxWait // only Close can commit them in time
	s := open(t, cfg, 0)
	rows := makeRows("close", 50)
	done := NewCompletions(t)
	for i := range rows {
		s.Append(&rows[i], done.New())
	}
	closeStore(t, s)
	closeStore(t, s) // again: no harm
	late := makeRows("late", 1)[0]
	refused := NewCompletions(t)
	s.Append(&late, refused.New())
	if s.Awaits() {
		if got := done.Told(); got != len(rows) {
			t.Errorf("Close returned before %d completions were told", len(rows)-got)
		}
		if got := refused.Wait(); !errors.Is(got[0], logstore.ErrClosed) {
			t.Errorf("a row after Close was told %v", got[0])
		}
	}
	want := logstore.Stats{Appended: 51, Stored: 50, Dropped: 1}
	got := s.Stats()
	got.Batches = 0
	if got != want {
		t.Errorf("stats %+v, want %+v", got, want)
	}
	CheckSequence(t, All(t, reader(t, cfg, s)), len(rows))
}

func reopen(t *testing.T, cfg logstore.Config) {
	if cfg.Store == logstore.Memory {
		t.Skip("a memory store ends with its process")
	}
	const lives, each = 3, 20
	for i := range lives {
		s := open(t, cfg, 0)
		appendAll(t, s, makeRows(fmt.Sprintf("life%d", i), each))
		closeStore(t, s)
		CheckSequence(t, All(t, reader(t, cfg, s)), (i+1)*each)
	}
}

func readWhileWriting(t *testing.T, cfg logstore.Config) {
	cfg.BatchRows = 10
	s := open(t, cfg, 0)
	first := makeRows("first", 1)
	appendAll(t, s, first)
	r := reader(t, cfg, s)
	rows := makeRows("growing", 200)
	written := make(chan struct{})
	go func() {
		defer close(written)
		appendAll(t, s, rows)
		closeStore(t, s)
	}()
	var seen int64
	for reading := true; reading; {
		select {
		case <-written:
			reading = false // once more, for the last rows
		default:
		}
		n, err := r.Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n < seen {
			t.Fatalf("%d rows after %d", n, seen)
		}
		seen = n
		CheckPrefix(t, All(t, r))
	}
	if seen != int64(len(rows)+1) {
		t.Errorf("%d rows at the end, want %d", seen, len(rows)+1)
	}
}

// CheckPrefix checks that the rows of one incarnation are its first ones.
func CheckPrefix(t testing.TB, rows []logrow.Row) {
	t.Helper()
	for i := range rows {
		if rows[i].Seq != int64(i+1) {
			t.Fatalf("row %d has sequence %d", i+1, rows[i].Seq)
		}
	}
}

func sums(t *testing.T, cfg logstore.Config) {
	s := open(t, cfg, 0)
	rows := makeRows("sums", 120)
	appendAll(t, s, rows)
	closeStore(t, s)
	r := reader(t, cfg, s)
	outcomes := make(map[logrow.Outcome]int64)
	var want []logstore.Sum
	for i := range rows {
		outcomes[rows[i].Outcome]++
		want = append(want, tally.OfRow(&rows[i]))
	}
	got, err := r.CountByOutcome(t.Context())
	if diff := cmp.Diff(outcomes, got); err != nil || diff != "" {
		t.Errorf("by outcome: %v\n%s", err, diff)
	}
	gotSums, err := r.Sums(t.Context())
	if diff := cmp.Diff(tally.Merge(want), gotSums); err != nil || diff != "" {
		t.Errorf("sums: %v\n%s", err, diff)
	}
}

func feedsLedger(t *testing.T, cfg logstore.Config) {
	slot := ledger.At(shm.NewHeap(ledger.Words(1)), 0, 0)
	s := open(t, cfg, 0, logstore.WithCounters(slot))
	appendAll(t, s, makeRows("ledger", 25))
	closeStore(t, s)
	late := makeRows("late", 1)[0]
	refused := NewCompletions(t)
	s.Append(&late, refused.New())
	if s.Awaits() {
		refused.Wait()
	}
	st := s.Stats()
	for c, want := range map[ledger.Counter]int64{
		ledger.RowsAppended: st.Appended, ledger.RowsStored: st.Stored, ledger.RowsDropped: st.Dropped, ledger.RowsFailed: st.Failed,
	} {
		if got := slot.Load(c); got != want {
			t.Errorf("ledger %s is %d, the store says %d", c, got, want)
		}
	}
	if st.Appended != 26 || st.Stored != 25 || st.Dropped != 1 {
		t.Errorf("stats %+v", st)
	}
}
