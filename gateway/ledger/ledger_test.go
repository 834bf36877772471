package ledger

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/gateway/shm"
)

func TestSumsAddSlotsAndNameEveryCounter(t *testing.T) {
	r := shm.NewHeap(Words(3))
	slots := []Slot{At(r, 0, 0), At(r, 0, 1), At(r, 0, 2)}
	var wg sync.WaitGroup
	for i, s := range slots {
		wg.Go(func() {
			for c := range NumCounters {
				for range 100 {
					s.Add(c, int64(i+1))
				}
			}
		})
	}
	wg.Wait()
	sums := Sums(slots)
	if len(sums) != int(NumCounters) {
		t.Errorf("%d names for %d counters: a name is missing or double", len(sums), NumCounters)
	}
	for name, n := range sums {
		if name == "" || n != 600 {
			t.Errorf("counter %q sums to %d, want 600", name, n)
		}
	}
}

func TestReasonsCloseUnderAnyName(t *testing.T) {
	r := shm.NewHeap(Words(2))
	a, b := At(r, 0, 0), At(r, 0, 1)
	for _, reason := range reasons {
		a.AddReason(reason)
		b.AddReason(reason)
	}
	a.AddReason("never heard of")
	got := Reasons([]Slot{a, b})
	want := map[string]int64{}
	for _, reason := range reasons {
		want[reason] = 2
	}
	want[other]++
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := Sums([]Slot{a, b})["answered"]; got != 0 {
		t.Errorf("reasons run over the counters: answered is %d", got)
	}
}

func TestReconcileClosesADeadWorkersBooks(t *testing.T) {
	r := shm.NewHeap(Words(1))
	s := At(r, 0, 0)
	s.Add(InFlight, 3)
	s.Add(OpenReservations, 2)
	s.Add(RowsAppended, 10)
	s.Add(RowsStored, 6)
	s.Add(RowsDropped, 1)
	s.Reconcile(Forfeit{Reservations: 2, Nano: 500, Tok: 70})
	s.Reconcile(Forfeit{}) // a second time changes nothing
	for c, want := range map[Counter]int64{
		InFlight: 0, OpenReservations: 0, Lost: 3, Forfeited: 2, ForfeitedNano: 500, ForfeitedTok: 70, RowsUnreported: 3,
	} {
		if got := s.Load(c); got != want {
			t.Errorf("%s is %d, want %d", c, got, want)
		}
	}
	s.Zero()
	for name, n := range Sums([]Slot{s}) {
		if n != 0 {
			t.Errorf("%s is %d after Zero", name, n)
		}
	}
}

func TestCountingDoesNotAllocate(t *testing.T) {
	s := At(shm.NewHeap(Words(1)), 0, 0)
	if n := testing.AllocsPerRun(100, func() { s.Add(Answered, 1); s.AddReason("invalid_api_key") }); n != 0 {
		t.Errorf("allocates %v times", n)
	}
}
