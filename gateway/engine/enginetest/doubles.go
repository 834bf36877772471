package enginetest

import (
	"sync"
	"sync/atomic"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// token is the only key that is known.
const token = "tg-test"

// keys admits everybody who knows the token, and counts what is held.
type keys struct{ held atomic.Int64 }

var _ admission.Admitter = (*keys)(nil)

func (k *keys) Authenticate(tok []byte) (admission.KeyRef, admission.Reason) {
	switch string(tok) {
	case token:
		return 0, admission.ReasonNone
	case "":
		return admission.NoKey, admission.ReasonNoKey
	}
	return admission.NoKey, admission.ReasonBadKey
}

func (k *keys) KeyName(admission.KeyRef) string { return "test" }

func (k *keys) ModelAllowed(admission.KeyRef, int) bool { return true }

func (k *keys) Reserve(_ int64, ref admission.KeyRef, _ *admission.Estimate, r *admission.Reservation) admission.Verdict {
	k.held.Add(1)
	*r = admission.Reservation{Key: ref, Held: true}
	return admission.Verdict{}
}

func (k *keys) Settle(_ int64, r *admission.Reservation, _ admission.Usage, _ int64) { k.give(r) }

func (k *keys) Release(_ int64, r *admission.Reservation) { k.give(r) }

func (k *keys) give(r *admission.Reservation) {
	if r.Held {
		r.Held = false
		k.held.Add(-1)
	}
}

// rows keeps every row. With hold or store, rows are awaited and their
// completion is the story's to give.
type rows struct {
	hold  bool
	store func(row *logrow.Row, done logrow.Completion)
	trap  atomic.Bool // the next Append panics
	mu    sync.Mutex
	all   []logrow.Row
	held  chan logrow.Completion
}

func newRows() *rows { return &rows{held: make(chan logrow.Completion, 64)} }

func (r *rows) Awaits() bool { return r.hold || r.store != nil }

func (r *rows) Append(row *logrow.Row, done logrow.Completion) bool {
	if r.trap.Swap(false) {
		panic("trapped")
	}
	r.mu.Lock()
	r.all = append(r.all, *row)
	r.mu.Unlock()
	switch {
	case r.store != nil:
		r.store(row, done)
	case r.hold:
		r.held <- done
	}
	return r.Awaits()
}

func (r *rows) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.all)
}

func (r *rows) last() logrow.Row {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.all) == 0 {
		return logrow.Row{}
	}
	return r.all[len(r.all)-1]
}

// outcomes counts the rows of each outcome.
func (r *rows) outcomes() map[logrow.Outcome]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := map[logrow.Outcome]int{}
	for i := range r.all {
		n[r.all[i].Outcome]++
	}
	return n
}
