package accounts

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// TestNotOneTooMany lets workers race for a budget that has room for exactly
// 1,000 requests, and watches that it is never passed on the way.
func TestNotOneTooMany(t *testing.T) {
	const budget, cost, workers, tries = 10_000, 10, 4, 2_000
	k := named("k")
	k.BudgetNano, k.RPM, k.TPM = budget, MaxPerMinute, MaxPerMinute
	r := shm.NewHeap(Words(1))
	var admitted atomic.Int64
	var wg sync.WaitGroup
	done := make(chan struct{})
	watcher := open(t, r, 0, k)
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			if s := watcher.Sums(noon)[0]; s.CommittedNano > budget {
				t.Errorf("committed %d of %d", s.CommittedNano, budget)
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for slot := range workers {
		b := open(t, r, slot, k)
		wg.Go(func() {
			for range tries {
				var res admission.Reservation
				if b.Reserve(noon, 0, costing(cost, 1), &res).Reason != admission.ReasonNone {
					continue
				}
				if rand.IntN(3) == 0 {
					b.Release(noon, &res)
					continue
				}
				admitted.Add(1)
				b.Settle(noon, &res, admission.Usage{PromptTok: 1}, cost)
			}
		})
	}
	wg.Wait()
	close(done)
	watching.Wait()
	if n := admitted.Load(); n != budget/cost {
		t.Errorf("%d requests were admitted, the budget has room for %d", n, budget/cost)
	}
	wantSums(t, watcher, noon, budget, budget, 0)
}

// TestRacingRatesAdmitExactlyTheLimit is the same for requests per minute at
// one instant.
func TestRacingRatesAdmitExactlyTheLimit(t *testing.T) {
	k := named("k")
	k.RPM = 777
	r := shm.NewHeap(Words(1))
	var admitted atomic.Int64
	var wg sync.WaitGroup
	for slot := range 4 {
		b := open(t, r, slot, k)
		wg.Go(func() {
			for range 500 {
				var res admission.Reservation
				if b.Reserve(noon, 0, costing(0, 0), &res).Reason == admission.ReasonNone {
					admitted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if n := admitted.Load(); n != 777 {
		t.Errorf("%d admitted", n)
	}
}

// TestTheMomentAPeriodBegins races many first requests of a new day.
func TestTheMomentAPeriodBegins(t *testing.T) {
	k := named("k")
	k.BudgetNano, k.Period = 100, Day
	r := shm.NewHeap(Words(1))
	b := open(t, r, 0, k)
	for day := range int64(50) {
		now := noon + day*dayNs
		var admitted atomic.Int64
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 20 {
					var res admission.Reservation
					if b.Reserve(now, 0, costing(10, 1), &res).Reason == admission.ReasonNone {
						admitted.Add(1)
						b.Settle(now, &res, admission.Usage{PromptTok: 1}, 10)
					}
				}
			})
		}
		wg.Wait()
		if n := admitted.Load(); n != 10 {
			t.Fatalf("day %d: %d admitted, want 10", day, n)
		}
	}
}

func TestReconcileLeavesADeadWorkersReservationsCharged(t *testing.T) {
	k := named("k")
	k.BudgetNano = 100
	r := shm.NewHeap(Words(1))
	dead, alive := open(t, r, 1, k), open(t, r, 0, k)
	var lost, held, res admission.Reservation
	wantReason(t, dead.Reserve(noon, 0, costing(60, 6), &lost), admission.ReasonNone)
	wantReason(t, alive.Reserve(noon, 0, costing(30, 3), &held), admission.ReasonNone)
	if f := Reconcile(r, 1); f.Reservations != 1 || f.Nano != 60 || f.Tok != 6 {
		t.Errorf("forfeit %+v", f)
	}
	if f := Reconcile(r, 1); f.Reservations != 0 || f.Nano != 0 {
		t.Errorf("a second time: %+v", f)
	}
	if s := alive.Sums(noon)[0]; s.CommittedNano != 90 || s.SpentNano != 60 || s.ForfeitedNano != 60 || s.ReservedNano != 30 || s.Open != 1 {
		t.Errorf("sums %+v", s)
	}
	wantReason(t, alive.Reserve(noon, 0, costing(11, 1), &res), admission.ReasonBudget)
	alive.Release(noon, &held)
	wantSums(t, alive, noon, 60, 60, 0)
}

func TestTheRequestPathDoesNotAllocate(t *testing.T) {
	k := named("k")
	k.BudgetNano, k.BudgetTok, k.RPM, k.TPM, k.Period = MaxAmount, MaxAmount, MaxPerMinute, MaxPerMinute, Month
	b := one(t, k)
	token, e := []byte("token-k"), costing(1, 1)
	if n := testing.AllocsPerRun(100, func() {
		ref, _ := b.Authenticate(token)
		var r admission.Reservation
		b.Reserve(noon, ref, e, &r)
		b.Settle(noon, &r, e.Usage, 1)
	}); n != 0 {
		t.Errorf("allocates %v times", n)
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	book := one(b, named("k"))
	token := []byte("token-k")
	for b.Loop() {
		book.Authenticate(token)
	}
}

func BenchmarkReserveAndSettle(b *testing.B) {
	k := named("k")
	k.BudgetNano, k.BudgetTok, k.RPM, k.TPM, k.Period = MaxAmount, MaxAmount, MaxPerMinute, MaxPerMinute, Month
	book := one(b, k)
	e := costing(1, 1)
	for b.Loop() {
		var r admission.Reservation
		book.Reserve(noon, 0, e, &r)
		book.Settle(noon, &r, e.Usage, 1)
	}
}
