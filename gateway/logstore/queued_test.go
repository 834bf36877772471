package logstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

func TestAsyncRowsGatherForTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fakeBackend{}
		s := fakeStore(Config{FlushInterval: 100 * time.Millisecond}, b)
		start := time.Now()
		for range 3 {
			s.Append(row("a"), nil)
			time.Sleep(30 * time.Millisecond)
		}
		synctest.Wait()
		if got := b.got(); len(got) != 0 {
			t.Fatalf("committed before the interval: %v", got)
		}
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		if diff := cmp.Diff([][]int64{{1, 2, 3}}, b.got()); diff != "" {
			t.Fatalf("at %v: %s", time.Since(start), diff)
		}
		s.Append(row("a"), nil)
		time.Sleep(101 * time.Millisecond)
		synctest.Wait()
		if diff := cmp.Diff([][]int64{{1, 2, 3}, {4}}, b.got()); diff != "" {
			t.Fatal(diff)
		}
		// An idle store wakes for the first row and then waits an interval.
		time.Sleep(time.Hour)
		s.Append(row("a"), nil)
		synctest.Wait()
		if len(b.got()) != 2 {
			t.Fatal("an idle store commits a lone row at once")
		}
		time.Sleep(101 * time.Millisecond)
		synctest.Wait()
		if len(b.got()) != 3 {
			t.Fatal("a lone row was not committed after the interval")
		}
		if err := s.Close(t.Context()); err != nil || !b.closed {
			t.Fatal(err, b.closed)
		}
	})
}

func TestAsyncFullBatchDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fakeBackend{}
		s := fakeStore(Config{FlushInterval: time.Minute, BatchRows: 4}, b)
		for range 9 {
			s.Append(row("a"), nil)
			synctest.Wait()
		}
		if diff := cmp.Diff([][]int64{{1, 2, 3, 4}, {5, 6, 7, 8}}, b.got()); diff != "" {
			t.Fatal(diff)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]int64{9}, b.got()[2]); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestGroupRowsOfOneCommitAreWhatCameDuringTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fakeBackend{gate: make(chan struct{})}
		s := fakeStore(Config{Durability: Group, BatchRows: 3}, b)
		done := make(chanDone, 10)
		s.Append(row("a"), done)
		synctest.Wait() // the first commit is held at the gate
		for range 5 {
			s.Append(row("a"), done)
		}
		synctest.Wait()
		if len(done) != 0 {
			t.Fatal("a completion was told before its commit")
		}
		b.gate <- struct{}{}
		synctest.Wait()
		if len(done) != 1 {
			t.Fatalf("%d completions told after the first commit", len(done))
		}
		b.gate <- struct{}{}
		b.gate <- struct{}{}
		synctest.Wait()
		if diff := cmp.Diff([][]int64{{1}, {2, 3, 4}, {5, 6}}, b.got()); diff != "" || len(done) != 6 {
			t.Fatalf("%d told\n%s", len(done), diff)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestSyncCommitsEachRowAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fakeBackend{}
		s := fakeStore(Config{Durability: Sync}, b)
		done := make(chanDone, 10)
		for range 3 {
			s.Append(row("a"), done)
		}
		synctest.Wait()
		if diff := cmp.Diff([][]int64{{1}, {2}, {3}}, b.got()); diff != "" || len(done) != 3 {
			t.Fatalf("%d told\n%s", len(done), diff)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDropCountsWhatFindsTheQueueFull(t *testing.T) {
	for _, d := range []Durability{Async, Group} {
		t.Run(string(d), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &fakeBackend{gate: make(chan struct{})}
				s := fakeStore(Config{Durability: d, QueueRows: 4}, b)
				stored, full := make(chanDone, 10), make(chanDone, 10)
				for range 4 {
					s.Append(row("a"), stored)
				}
				for range 3 {
					s.Append(row("b"), full)
				}
				if got, want := s.Stats(), (Stats{Appended: 7, Dropped: 3, Queue: 4}); got != want {
					t.Fatalf("stats %+v, want %+v", got, want)
				}
				close(b.gate)
				if err := s.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				st := s.Stats()
				st.Batches = 0
				if want := (Stats{Appended: 7, Dropped: 3, Stored: 4}); st != want {
					t.Fatalf("stats %+v, want %+v", st, want)
				}
				if s.Awaits() {
					for range 3 {
						if err := <-full; !errors.Is(err, ErrQueueFull) {
							t.Fatalf("a dropped row was told %v", err)
						}
					}
					if len(stored) != 4 {
						t.Fatalf("%d completions of 4 rows", len(stored))
					}
				} else if len(stored)+len(full) != 0 {
					t.Fatal("an async row was told")
				}
			})
		})
	}
}

func TestBlockWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fakeBackend{gate: make(chan struct{})}
		s := fakeStore(Config{QueueRows: 2, Overflow: Block}, b)
		s.Append(row("a"), nil)
		s.Append(row("b"), nil)
		appended := make(chan int, 10)
		for i := range 3 {
			go func() {
				s.Append(row("c"), nil)
				appended <- i
			}()
		}
		time.Sleep(time.Second) // the flusher now holds both rows at the gate
		synctest.Wait()
		if len(appended) != 0 {
			t.Fatal("Append did not wait while the queue was full")
		}
		close(b.gate)
		time.Sleep(time.Second)
		synctest.Wait()
		if len(appended) != 3 {
			t.Fatalf("%d of 3 appenders went on", len(appended))
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if st := s.Stats(); st.Stored != 5 || st.Dropped != 0 {
			t.Fatalf("%+v", st)
		}
	})
}

func TestCloseFreesThoseThatWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fakeBackend{gate: make(chan struct{}), entered: make(chan struct{}, 10)}
		s := fakeStore(Config{QueueRows: 1, Overflow: Block}, b)
		s.Append(row("a"), nil)
		<-b.entered
		free := make(chan struct{})
		go func() {
			s.Append(row("b"), nil)
			close(free)
		}()
		synctest.Wait()
		go func() { _ = s.Close(context.Background()) }()
		synctest.Wait()
		select {
		case <-free:
		default:
			t.Fatal("Append still waits for a closed store")
		}
		close(b.gate)
		synctest.Wait()
		if st := s.Stats(); st.Stored != 1 || st.Dropped != 1 {
			t.Fatalf("%+v", st)
		}
	})
}

func TestFailedCommits(t *testing.T) {
	for _, c := range []struct {
		story      string
		durability Durability
		retryable  bool
		failures   int // of the first Writes
		stored     int64
		retries    int64
	}{
		{"async: tried again until it works", Async, false, 3, 2, 3},
		{"async: given up after the time for it", Async, false, 1000, 0, 10},
		{"group: a fault that passes is waited for", Group, true, 3, 2, 3},
		{"group: a fault that lasts is told at once", Group, false, 1000, 0, 0},
		{"group: a fault that should pass and does not is told after the time for it", Group, true, 1000, 0, 10},
	} {
		t.Run(c.story, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &fakeBackend{retryable: c.retryable, entered: make(chan struct{}, 1<<20), fail: func(n int) error {
					if n <= c.failures {
						return errFake
					}
					return nil
				}}
				cfg := Config{Durability: c.durability, RetryFor: 5 * time.Second, BatchRows: 2, FlushInterval: time.Second}.WithDefaults()
				s := &queued{q: newQueue(cfg, 0, 1), b: b, counters: noCounters{}}
				done := make(chanDone, 2)
				s.Append(row("a"), done)
				s.Append(row("b"), done)
				s.fl = startFlusher(s, cfg, discard) // only now, so that the rows are one batch
				time.Sleep(time.Minute)
				synctest.Wait()
				st := s.Stats()
				if st.Stored != c.stored || st.Failed != 2-c.stored || st.Queue != 0 {
					t.Errorf("%+v, want %d stored", st, c.stored)
				}
				if c.retries == 0 && st.Retries != 0 || c.retries > 0 && (st.Retries < c.retries/2 || st.Retries > 2*c.retries) {
					t.Errorf("%d retries, want about %d", st.Retries, c.retries)
				}
				if s.Awaits() {
					for range 2 {
						if err := <-done; (err == nil) != (c.stored == 2) || err != nil && !errors.Is(err, errFake) {
							t.Errorf("told %v", err)
						}
					}
				}
				if err := s.Close(t.Context()); err != nil {
					t.Errorf("nothing was left to lose, but Close says %v", err)
				}
			})
		})
	}
}

func TestCloseGivesUpWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fakeBackend{gate: make(chan struct{})} // never opens
		s := fakeStore(Config{Durability: Group, BatchRows: 2}, b)
		done := make(chanDone, 10)
		for range 5 {
			s.Append(row("a"), done)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := s.Close(ctx)
		if err == nil || !strings.Contains(err.Error(), "5 accepted rows not stored") {
			t.Fatalf("Close says %v", err)
		}
		if len(done) != 5 {
			t.Fatalf("%d of 5 completions told", len(done))
		}
		for range 5 {
			if err := <-done; err == nil {
				t.Fatal("a row that was given up was told durable")
			}
		}
		if st := s.Stats(); st.Failed != 5 || st.Queue != 0 {
			t.Fatalf("%+v", st)
		}
	})
}

func TestCloseDoesNotRetryEachBatchForItsWholeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &fakeBackend{fail: func(int) error { return errFake }}
		s := fakeStore(Config{RetryFor: 10 * time.Second, BatchRows: 1}, b)
		for i := range 50 {
			s.Append(row(fmt.Sprint(i)), nil)
		}
		start := time.Now()
		if err := s.Close(t.Context()); !errors.Is(err, errFake) {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 21*time.Second {
			t.Fatalf("Close took %v", took)
		}
	})
}

func TestAppendDoesNotAllocate(t *testing.T) {
	for _, d := range []Durability{Async, Group} {
		b := &fakeBackend{gate: make(chan struct{})}
		s := fakeStore(Config{Durability: d, QueueRows: 1 << 16, FlushInterval: time.Hour}, b)
		s.q.rows = append(s.q.rows[:0], make([]logrow.Row, 1<<12)...)[:0]
		s.q.dones = append(s.q.dones[:0], make([]logrow.Completion, 1<<12)...)[:0]
		r, done := row("a"), chanDone(make(chan error, 1<<16))
		if n := testing.AllocsPerRun(1000, func() { s.Append(r, done) }); n != 0 {
			t.Errorf("%s: %v allocations a row", d, n)
		}
		close(b.gate)
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
