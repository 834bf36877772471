package accounts

import (
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

func TestABudgetIsReservedThenSettled(t *testing.T) {
	k := named("k")
	k.BudgetNano, k.BudgetTok = 1000, 100
	b := one(t, k)
	var r1, r2, r3 admission.Reservation
	wantReason(t, b.Reserve(noon, 0, costing(600, 60), &r1), admission.ReasonNone)
	wantSums(t, b, noon, 600, 0, 1)

	v := b.Reserve(noon, 0, costing(600, 40), &r2)
	wantReason(t, v, admission.ReasonBudget)
	if v.RetryAfterNs != int64(RetryHeld) || r2.Held {
		t.Errorf("only a reservation stands in the way: retry after %v, held %v", time.Duration(v.RetryAfterNs), r2.Held)
	}
	v = b.Reserve(noon, 0, costing(41, 41), &r2)
	wantReason(t, v, admission.ReasonTokenBudget)
	wantSums(t, b, noon, 600, 0, 1) // the dollars that were taken first are back

	b.Settle(noon, &r1, admission.Usage{PromptTok: 20, OutputTok: 5}, 250)
	wantSums(t, b, noon, 250, 250, 0)
	b.Settle(noon, &r1, admission.Usage{PromptTok: 20}, 250) // a second time is nothing
	wantSums(t, b, noon, 250, 250, 0)

	wantReason(t, b.Reserve(noon, 0, costing(750, 75), &r2), admission.ReasonNone)
	b.Release(noon, &r2)
	wantSums(t, b, noon, 250, 250, 0)

	wantReason(t, b.Reserve(noon, 0, costing(750, 75), &r3), admission.ReasonNone)
	b.Settle(noon, &r3, admission.Usage{PromptTok: 75}, 750)
	v = b.Reserve(noon, 0, costing(1, 1), &r1)
	wantReason(t, v, admission.ReasonBudget)
	if v.RetryAfterNs != int64(RetryTotal) {
		t.Errorf("spent for ever: retry after %v, want %v", time.Duration(v.RetryAfterNs), RetryTotal)
	}
	if s := b.Sums(noon)[0]; s.Admitted != 3 || s.Refused != 3 || s.SpentTok != 100 || s.CommittedTok != 100 {
		t.Errorf("sums %+v", s)
	}
}

func TestBudgetEdges(t *testing.T) {
	for _, tc := range []struct {
		story         string
		nano, tok     int64
		costs, tokens int64
		want          admission.Reason
	}{
		{"a budget of nothing lets nothing through that costs", 0, NoLimit, 1, 1, admission.ReasonBudget},
		{"a budget of nothing lets a free request through", 0, NoLimit, 0, 5, admission.ReasonNone},
		{"exactly the budget passes", 10, NoLimit, 10, 1, admission.ReasonNone},
		{"one nano-dollar over does not", 10, NoLimit, 11, 1, admission.ReasonBudget},
		{"no budget bounds nothing", NoLimit, NoLimit, MaxAmount, 1, admission.ReasonNone},
		{"exactly the tokens pass", NoLimit, 5, 5, 5, admission.ReasonNone},
		{"one token over does not", NoLimit, 5, 5, 6, admission.ReasonTokenBudget},
		{"the largest budget takes the largest request", MaxAmount, MaxAmount, 0, MaxAmount, admission.ReasonNone},
	} {
		k := named("k")
		k.BudgetNano, k.BudgetTok = tc.nano, tc.tok
		b := one(t, k)
		e := &admission.Estimate{Usage: admission.Usage{PromptTok: tc.tokens}}
		if tc.tokens > 0 && tc.costs > 0 {
			e = &admission.Estimate{Usage: admission.Usage{PromptTok: 1, OutputTok: tc.tokens - 1}, PriceIn: tc.costs * 1_000_000}
			if tc.costs == MaxAmount {
				e.PriceIn = 1<<63 - 1
			}
		}
		var r admission.Reservation
		if v := b.Reserve(noon, 0, e, &r); v.Reason != tc.want {
			t.Errorf("%s: %q, want %q", tc.story, v.Reason, tc.want)
		}
	}
}

func TestAnAccountWithoutBudgetSaturates(t *testing.T) {
	b := one(t, named("k"))
	for range 3 {
		var r admission.Reservation
		wantReason(t, b.Reserve(noon, 0, &admission.Estimate{Usage: admission.Usage{PromptTok: 1 << 62}, PriceIn: 1 << 62}, &r), admission.ReasonNone)
		b.Settle(noon, &r, admission.Usage{PromptTok: 1 << 62}, 1<<62)
	}
	if s := b.Sums(noon)[0]; s.CommittedNano != MaxAmount || s.CommittedTok != MaxAmount || s.Open != 0 || s.ReservedNano != 0 {
		t.Errorf("sums %+v", s)
	}
}

func TestPeriods(t *testing.T) {
	midnight := time.Date(2026, 3, 16, 0, 0, 0, 0, time.UTC).UnixNano()
	april := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	for _, tc := range []struct {
		period Period
		next   int64
	}{{Day, midnight}, {Month, april}} {
		k := named("k")
		k.BudgetNano, k.BudgetTok, k.Period = 100, NoLimit, tc.period
		b := one(t, k)
		var r, late admission.Reservation
		wantReason(t, b.Reserve(noon, 0, costing(70, 1), &r), admission.ReasonNone)
		b.Settle(noon, &r, admission.Usage{PromptTok: 1}, 70)
		wantReason(t, b.Reserve(noon, 0, costing(30, 1), &late), admission.ReasonNone)
		b.Settle(noon, &late, admission.Usage{PromptTok: 1}, 30)
		v := b.Reserve(noon, 0, costing(1, 1), &r)
		wantReason(t, v, admission.ReasonBudget)
		if v.RetryAfterNs != tc.next-noon {
			t.Errorf("%s: retry after %v, want until the period ends, %v", tc.period, time.Duration(v.RetryAfterNs), time.Duration(tc.next-noon))
		}
		wantReason(t, b.Reserve(tc.next-1, 0, costing(1, 1), &r), admission.ReasonBudget)
		wantReason(t, b.Reserve(tc.next, 0, costing(100, 1), &r), admission.ReasonNone)
		wantSums(t, b, tc.next, 100, 100, 1)
	}
}

func TestARequestIsChargedToThePeriodItBeganIn(t *testing.T) {
	k := named("k")
	k.BudgetNano, k.Period = 100, Day
	b := one(t, k)
	tomorrow := noon + dayNs
	var over, r admission.Reservation
	wantReason(t, b.Reserve(noon, 0, costing(100, 1), &over), admission.ReasonNone)
	wantReason(t, b.Reserve(tomorrow, 0, costing(60, 1), &r), admission.ReasonNone)
	b.Settle(tomorrow, &over, admission.Usage{PromptTok: 1}, 90)
	if s := b.Sums(tomorrow)[0]; s.CommittedNano != 60 || s.SpentNano != 90 || s.ReservedNano != 60 {
		t.Errorf("sums %+v", s)
	}
}

func TestAClockThatLagsFollowsTheNewPeriod(t *testing.T) {
	k := named("k")
	k.BudgetNano, k.Period = 100, Day
	b := one(t, k)
	midnight := noon - noon%dayNs + dayNs
	var ahead, behind admission.Reservation
	wantReason(t, b.Reserve(midnight, 0, costing(80, 1), &ahead), admission.ReasonNone)
	wantReason(t, b.Reserve(midnight-1000, 0, costing(80, 1), &behind), admission.ReasonBudget)
	wantReason(t, b.Reserve(midnight-1000, 0, costing(20, 1), &behind), admission.ReasonNone)
	b.Settle(midnight, &behind, admission.Usage{PromptTok: 1}, 20)
	b.Settle(midnight, &ahead, admission.Usage{PromptTok: 1}, 80)
	wantSums(t, b, midnight, 100, 100, 0)
}

func TestTagsOfConsecutivePeriods(t *testing.T) {
	seen := map[int64]bool{}
	for n := range int64(tags) {
		tag, next := tagOf(Day, n), tagOf(Day, n+1)
		if tag < 1 || tag > tagMask || seen[tag] {
			t.Fatalf("period %d has tag %d", n, tag)
		}
		seen[tag] = true
		if _, current := amountIn(5<<tagBits|next, tag); current != next {
			t.Fatalf("period %d does not follow the one after it", n)
		}
		if amount, current := amountIn(5<<tagBits|tag, next); amount != 0 || current != next {
			t.Fatalf("period %d keeps what the one before it spent", n+1)
		}
	}
}

func TestKeysKeepTheirAccountsWhenTheConfigChanges(t *testing.T) {
	r := shm.NewHeap(Words(2))
	a, c := named("a"), named("c")
	a.BudgetNano = 100
	b := open(t, r, 0, a, named("b"))
	var res admission.Reservation
	wantReason(t, b.Reserve(noon, 0, costing(70, 7), &res), admission.ReasonNone)
	b.Settle(noon, &res, admission.Usage{PromptTok: 7}, 70)

	open(t, r, 0, c) // a config without a
	a.Name = "renamed"
	b = open(t, r, 3, a, c)
	wantSums(t, b, noon, 70, 70, 0)
	if b.KeyName(0) != "renamed" {
		t.Errorf("name %q", b.KeyName(0))
	}
	grown := shm.NewHeap(2 * r.Len())
	Copy(grown, r)
	wantSums(t, open(t, grown, 3, a, c), noon, 70, 70, 0)
}

func TestAFullRegionForgetsTheKeyLongestGone(t *testing.T) {
	r := shm.NewHeap(2 * (rowWords + MaxSlots*holdWords))
	year := int64(365 * 24 * time.Hour)
	for i, name := range []string{"old", "older"} {
		if err := Claim(r, []Key{named(name)}, noon-int64(i+1)*year); err != nil {
			t.Fatal(err)
		}
	}
	open(t, r, 0, named("new"))
	if rows := rowsByDigest(r); len(rows) != 2 {
		t.Errorf("%d rows", len(rows))
	} else if _, ok := rows[wordsOf(named("old").Digest)]; !ok {
		t.Error("the row of the key seen last was taken")
	}
	if err := Claim(r, []Key{named("x"), named("y"), named("z")}, noon); err == nil {
		t.Error("three keys fit into two rows")
	}
}
