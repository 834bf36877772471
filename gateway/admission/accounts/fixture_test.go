package accounts

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// noon is an ordinary moment: 12:00 UTC on the 15th of a month.
var noon = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC).UnixNano()

const second = int64(time.Second)

func named(name string) Key {
	return Key{Name: name, Digest: sha256.Sum256([]byte("token-" + name)), BudgetNano: NoLimit, BudgetTok: NoLimit}
}

func open(t testing.TB, r *shm.Region, slot int, keys ...Key) *Book {
	t.Helper()
	if err := Claim(r, keys, noon); err != nil {
		t.Fatal(err)
	}
	b, err := NewBook(r, keys, slot)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// one opens a fresh region for one key.
func one(t testing.TB, k Key) *Book { return open(t, shm.NewHeap(Words(1)), 0, k) }

// costing is an estimate of exactly nano nano-dollars and tok tokens.
func costing(nano, tok int64) *admission.Estimate {
	if tok == 0 {
		return &admission.Estimate{}
	}
	return &admission.Estimate{Usage: admission.Usage{PromptTok: tok}, PriceIn: nano * 1_000_000 / tok}
}

func wantReason(t *testing.T, v admission.Verdict, want admission.Reason) {
	t.Helper()
	if v.Reason != want {
		t.Fatalf("reason %q, want %q", v.Reason, want)
	}
}

// wantSums checks that the account adds up: committed = spent in this period +
// reserved, and nothing is open unless open says so.
func wantSums(t *testing.T, b *Book, now, committedNano, spentNano, open int64) {
	t.Helper()
	s := b.Sums(now)[0]
	if s.CommittedNano != committedNano || s.SpentNano != spentNano || s.Open != open {
		t.Fatalf("committed %d, spent %d, open %d; want %d, %d, %d", s.CommittedNano, s.SpentNano, s.Open, committedNano, spentNano, open)
	}
}
