package accounts

import (
	"sync/atomic"

	"github.com/tollgate-lab/tollgate/gateway/admission"
)

// Settle implements admission.Admitter. A request is charged to the period in
// which it was admitted; when that has ended meanwhile its budget is closed and
// only the sums go on.
func (b *Book) Settle(now int64, r *admission.Reservation, used admission.Usage, costNano int64) {
	b.settle(now, r, sum(used.PromptTok, used.OutputTok), min(max(costNano, 0), MaxAmount))
}

// Release implements admission.Admitter. The request still counts in requests
// per minute: it was one.
func (b *Book) Release(now int64, r *admission.Reservation) { b.settle(now, r, 0, 0) }

func (b *Book) settle(now int64, r *admission.Reservation, tok, nano int64) {
	a := b.account(r.Key)
	if !r.Held || a == nil {
		return
	}
	r.Held = false
	correct(&a.row[wCommitNano], int64(r.Period>>tagBits), nano-r.Nano)
	correct(&a.row[wCommitTok], int64(r.Period&tagMask), tok-r.Tokens)
	if a.tpm.limit > 0 {
		switch {
		case tok < r.TPMTok:
			a.tpm.give(&a.row[wTPM], r.TPMTok-tok)
		case tok > r.TPMTok:
			a.tpm.takeMore(&a.row[wTPM], now, tok-r.TPMTok)
		}
	}
	if nano != 0 {
		atomic.AddInt64(&a.row[wSpentNano], nano)
	}
	if tok != 0 {
		atomic.AddInt64(&a.row[wSpentTok], tok)
	}
	a.holds(-r.Nano, -r.Tokens, -1)
}
