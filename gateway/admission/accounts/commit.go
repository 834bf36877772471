package accounts

import "sync/atomic"

// A commitment is an amount and the tag of its period in one word: amount in
// the upper 54 bits (sign included), tag in the lower 10. Tag 0 is a budget
// without period; the others repeat after 1,023 periods, so a key that rests for
// exactly 1,023 days would find the spend of then.
const (
	tagBits = 10
	tagMask = 1<<tagBits - 1
	tags    = tagMask // tags of periods: 1..tags

	// MaxAmount is the largest amount that a period can commit: 9.0 million
	// dollars in nano-dollars, or that many tokens. Budgets are at most this;
	// an account without budget saturates there.
	MaxAmount = 1<<(63-tagBits) - 1
)

// tagOf is the tag of period number n of kind p.
func tagOf(p Period, n int64) int64 {
	if p == Total {
		return 0
	}
	return 1 + n%tags
}

// amountIn is what w has committed in the period tagged tag.
func amountIn(w, tag int64) (amount, current int64) {
	have := w & tagMask
	switch {
	case have == tag:
		return w >> tagBits, tag
	case tag != 0 && have == 1+tag%tags:
		// Another worker's clock is ahead and has begun the next period:
		// follow it, never back.
		return w >> tagBits, have
	}
	return 0, tag
}

// charge adds n to the commitment unless that would pass limit, and returns the
// tag of the period that was charged. limit < 0 is no limit.
func charge(word *int64, tag, n, limit int64) (charged int64, ok bool) {
	for {
		w := atomic.LoadInt64(word)
		amount, current := amountIn(w, tag)
		next := amount + n // both below 2^53
		if limit >= 0 && n > 0 && next > limit {
			return current, false
		}
		if atomic.CompareAndSwapInt64(word, w, min(next, MaxAmount)<<tagBits|current) {
			return current, true
		}
	}
}

// correct adds delta to the commitment of the period tagged tag, if that is still
// the one in the word: a period that has ended is closed.
func correct(word *int64, tag, delta int64) {
	if delta == 0 {
		return
	}
	for {
		w := atomic.LoadInt64(word)
		if w&tagMask != tag {
			return
		}
		next := min(max(w>>tagBits+delta, 0), MaxAmount)
		if atomic.CompareAndSwapInt64(word, w, next<<tagBits|tag) {
			return
		}
	}
}
