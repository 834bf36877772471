package accounts

import (
	"sync/atomic"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/price"
)

// Reserve implements admission.Admitter: requests per minute, tokens per minute,
// dollars, tokens, in this order; what was taken before a refusal is given back.
func (b *Book) Reserve(now int64, k admission.KeyRef, e *admission.Estimate, r *admission.Reservation) (v admission.Verdict) {
	*r = admission.Reservation{Key: k}
	a := b.account(k)
	if a == nil {
		return v
	}
	tok := sum(e.PromptTok, e.OutputTok)
	nano := min(price.Cost(e.PriceIn, e.PriceOut, e.PromptTok, e.OutputTok), MaxAmount)
	v.Reason, v.RetryAfterNs = b.take(a, now, tok, nano, r)
	v.Rate = a.rate(now)
	if v.Reason != admission.ReasonNone {
		atomic.AddInt64(&a.row[wRefused], 1)
		return v
	}
	atomic.AddInt64(&a.row[wAdmitted], 1)
	r.Tokens, r.Nano, r.Held = tok, nano, true
	if a.tpm.limit > 0 {
		r.TPMTok = tok
	}
	return v
}

func (b *Book) take(a *account, now, tok, nano int64, r *admission.Reservation) (admission.Reason, int64) {
	if a.rpm.limit > 0 {
		if retry, ok := a.rpm.take(&a.row[wRPM], now, 1); !ok {
			return admission.ReasonRPM, retry
		}
	}
	if a.tpm.limit > 0 {
		if retry, ok := a.tpm.take(&a.row[wTPM], now, tok); !ok {
			a.giveRates(0)
			return admission.ReasonTPM, retry
		}
	}
	number, next := a.Period.number(now)
	tag := tagOf(a.Period, number)
	a.holds(nano, tok, 1)
	tagNano, ok := charge(&a.row[wCommitNano], tag, nano, a.BudgetNano)
	if !ok {
		a.holds(-nano, -tok, -1)
		a.giveRates(tok)
		return admission.ReasonBudget, b.retry(a, wCommitNano, hNano, tag, nano, a.BudgetNano, next-now)
	}
	// The second word is charged to the period that the first one was in.
	tagTok, ok := charge(&a.row[wCommitTok], tagNano, tok, a.BudgetTok)
	if !ok {
		correct(&a.row[wCommitNano], tagNano, -nano)
		a.holds(-nano, -tok, -1)
		a.giveRates(tok)
		return admission.ReasonTokenBudget, b.retry(a, wCommitTok, hTok, tagNano, tok, a.BudgetTok, next-now)
	}
	r.Period = int32(tagNano<<tagBits | tagTok)
	return admission.ReasonNone, 0
}

// holds writes down what this worker has reserved.
func (a *account) holds(nano, tok, count int64) {
	atomic.AddInt64(&a.hold[hNano], nano)
	atomic.AddInt64(&a.hold[hTok], tok)
	atomic.AddInt64(&a.hold[hCount], count)
}

// giveRates gives back a request, and tok tokens when that limit was taken.
func (a *account) giveRates(tok int64) {
	if a.rpm.limit > 0 {
		a.rpm.give(&a.row[wRPM], 1)
	}
	if a.tpm.limit > 0 && tok > 0 {
		a.tpm.give(&a.row[wTPM], tok)
	}
}

// retry is how long a client that a budget refused should wait.
func (b *Book) retry(a *account, commit, hold int, tag, n, limit, toNext int64) int64 {
	committed, _ := amountIn(atomic.LoadInt64(&a.row[commit]), tag)
	if committed-b.held(a.rowIndex, hold)+n <= limit {
		return int64(RetryHeld)
	}
	if a.Period == Total {
		return int64(RetryTotal)
	}
	return toNext
}

// held sums one word of a row's reservations over all slots. It is read only
// when a request is refused or somebody looks.
func (b *Book) held(row, word int) (n int64) {
	for slot := range MaxSlots {
		n += b.region.Load(holdAt(b.capacity, slot, row) + word)
	}
	return n
}

func (a *account) rate(now int64) (r admission.Rate) {
	r.LimitRequests, r.LimitTokens = a.rpm.limit, a.tpm.limit
	r.RemainingRequests, r.ResetRequestsNs = a.rpm.left(&a.row[wRPM], now)
	r.RemainingTokens, r.ResetTokensNs = a.tpm.left(&a.row[wTPM], now)
	return r
}

// sum adds token counts and saturates at MaxAmount.
func sum(a, b int64) int64 {
	a, b = min(max(a, 0), MaxAmount), min(max(b, 0), MaxAmount)
	return min(a+b, MaxAmount)
}
