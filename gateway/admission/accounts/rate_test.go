package accounts

import (
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission"
)

func TestRequestsPerMinute(t *testing.T) {
	for _, limit := range []int64{1, 2, 7, 60, 1000, 3601} {
		k := named("k")
		k.RPM = limit
		b := one(t, k)
		var r admission.Reservation
		for i := range limit {
			v := b.Reserve(noon, 0, costing(0, 0), &r)
			wantReason(t, v, admission.ReasonNone)
			if want := limit - i - 1; v.Rate.LimitRequests != limit || v.Rate.RemainingRequests != want || v.Rate.LimitTokens != 0 {
				t.Fatalf("limit %d, request %d: rate %+v, want %d remaining", limit, i, v.Rate, want)
			}
		}
		v := b.Reserve(noon, 0, costing(0, 0), &r)
		wantReason(t, v, admission.ReasonRPM)
		interval := (60*second + limit - 1) / limit
		if v.RetryAfterNs != interval || v.Rate.ResetRequestsNs != interval*limit {
			t.Errorf("limit %d: retry after %v, reset %v; want %v, %v", limit, v.RetryAfterNs, v.Rate.ResetRequestsNs, interval, interval*limit)
		}
		wantReason(t, b.Reserve(noon+v.RetryAfterNs-1, 0, costing(0, 0), &r), admission.ReasonRPM)
		wantReason(t, b.Reserve(noon+v.RetryAfterNs, 0, costing(0, 0), &r), admission.ReasonNone)
		// A rest of any length refills to the limit, not beyond.
		day := noon + dayNs
		for range limit {
			wantReason(t, b.Reserve(day, 0, costing(0, 0), &r), admission.ReasonNone)
		}
		wantReason(t, b.Reserve(day, 0, costing(0, 0), &r), admission.ReasonRPM)
	}
}

func TestTokensPerMinuteReserveAndSettle(t *testing.T) {
	k := named("k")
	k.TPM = 6000 // 100 a second
	b := one(t, k)
	var r1, r2 admission.Reservation
	v := b.Reserve(noon, 0, costing(0, 4000), &r1)
	wantReason(t, v, admission.ReasonNone)
	if v.Rate.RemainingTokens != 2000 || v.Rate.ResetTokensNs != 40*second {
		t.Errorf("rate %+v", v.Rate)
	}
	v = b.Reserve(noon, 0, costing(0, 2500), &r2)
	wantReason(t, v, admission.ReasonTPM)
	if v.RetryAfterNs != 5*second {
		t.Errorf("500 tokens too many, 100 a second: retry after %v", time.Duration(v.RetryAfterNs))
	}
	b.Settle(noon, &r1, admission.Usage{PromptTok: 100, OutputTok: 400}, 0)
	v = b.Reserve(noon, 0, costing(0, 2500), &r2)
	wantReason(t, v, admission.ReasonNone)
	if v.Rate.RemainingTokens != 3000 {
		t.Errorf("3,500 of 4,000 were not used: rate %+v", v.Rate)
	}
	b.Release(noon, &r2)
	v = b.Reserve(noon, 0, costing(0, 1), &r2)
	if v.Rate.RemainingTokens != 5499 {
		t.Errorf("a release gives all back: rate %+v", v.Rate)
	}
	b.Settle(noon, &r2, admission.Usage{PromptTok: 5501}, 0) // far more than was estimated
	v = b.Reserve(noon, 0, costing(0, 1), &r2)
	wantReason(t, v, admission.ReasonTPM)
	if v.RetryAfterNs != 2*second/100 {
		t.Errorf("one token over and one asked for: retry after %v", time.Duration(v.RetryAfterNs))
	}
	b.Settle(noon, &r1, admission.Usage{}, 0)
	v = b.Reserve(noon, 0, costing(0, 6001), &r2)
	wantReason(t, v, admission.ReasonTPM)
	if v.RetryAfterNs != 0 {
		t.Errorf("more than the limit never passes: retry after %v", time.Duration(v.RetryAfterNs))
	}
}

func TestGivingBackNeverFillsBeyondTheLimit(t *testing.T) {
	k := named("k")
	k.TPM = 600
	b := one(t, k)
	var r admission.Reservation
	wantReason(t, b.Reserve(noon, 0, costing(0, 600), &r), admission.ReasonNone)
	later := noon + 60*second // full again by time
	b.Settle(later, &r, admission.Usage{}, 0)
	wantReason(t, b.Reserve(later, 0, costing(0, 600), &r), admission.ReasonNone)
	wantReason(t, b.Reserve(later, 0, costing(0, 1), &r), admission.ReasonTPM)
}

func TestARefusalTakesNoRate(t *testing.T) {
	k := named("k")
	k.RPM, k.TPM, k.BudgetNano = 10, 100, 0
	b := one(t, k)
	var r admission.Reservation
	for range 50 {
		v := b.Reserve(noon, 0, costing(5, 5), &r)
		wantReason(t, v, admission.ReasonBudget)
		if v.Rate.RemainingRequests != 10 || v.Rate.RemainingTokens != 100 {
			t.Fatalf("rate %+v", v.Rate)
		}
	}
	for range 50 {
		wantReason(t, b.Reserve(noon, 0, costing(0, 101), &r), admission.ReasonTPM)
	}
	if v := b.Reserve(noon, 0, costing(0, 1), &r); v.Rate.RemainingRequests != 9 {
		t.Errorf("rate %+v", v.Rate)
	}
}

func TestAClockSetBackLocksNobodyForLong(t *testing.T) {
	k := named("k")
	k.RPM = 60
	b := one(t, k)
	var r admission.Reservation
	wantReason(t, b.Reserve(noon+dayNs, 0, costing(0, 0), &r), admission.ReasonNone)
	v := b.Reserve(noon, 0, costing(0, 0), &r)
	wantReason(t, v, admission.ReasonRPM)
	if v.RetryAfterNs > 2*60*second {
		t.Errorf("retry after %v", time.Duration(v.RetryAfterNs))
	}
}

func TestWithoutAKeyNothingIsHeld(t *testing.T) {
	b := one(t, named("k"))
	r := admission.Reservation{Held: true}
	wantReason(t, b.Reserve(noon, admission.NoKey, costing(5, 5), &r), admission.ReasonNone)
	if r.Held {
		t.Error("held")
	}
	b.Settle(noon, &r, admission.Usage{PromptTok: 5}, 5)
	wantSums(t, b, noon, 0, 0, 0)
}
