package micro

import (
	"crypto/sha256"
	"strconv"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

func itoa(n int) string { return strconv.Itoa(n) }

// book holds n keys with every limit set, none of which is ever reached.
func book(tb testing.TB, n int) (*accounts.Book, []byte) {
	keys := make([]accounts.Key, n)
	for i := range keys {
		keys[i] = accounts.Key{
			Name: "key-" + itoa(i), Digest: sha256.Sum256([]byte("sk-tollgate-bench-" + itoa(i))),
			BudgetNano: accounts.MaxAmount, BudgetTok: accounts.MaxAmount, RPM: accounts.MaxPerMinute, TPM: accounts.MaxPerMinute,
		}
	}
	r := shm.NewHeap(accounts.Words(n))
	if err := accounts.Claim(r, keys, 1); err != nil {
		tb.Fatal(err)
	}
	b, err := accounts.NewBook(r, keys, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return b, []byte("sk-tollgate-bench-" + itoa(n/2))
}

// BenchmarkAdmission is what governance adds to a request: the key, and a
// reservation made and settled. The floor is the hash that no check can spare.
func BenchmarkAdmission(b *testing.B) {
	for _, n := range []int{1, 1000} {
		bk, token := book(b, n)
		b.Run("keys="+itoa(n)+"/do=authenticate", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, reason := bk.Authenticate(token); reason != admission.ReasonNone {
					b.Fatal(reason)
				}
			}
		})
		b.Run("keys="+itoa(n)+"/do=reject", func(b *testing.B) {
			b.ReportAllocs()
			wrong := []byte("sk-tollgate-bench-of-nobody")
			for b.Loop() {
				if _, reason := bk.Authenticate(wrong); reason != admission.ReasonBadKey {
					b.Fatal(reason)
				}
			}
		})
		b.Run("keys="+itoa(n)+"/do=reserve+settle", func(b *testing.B) {
			b.ReportAllocs()
			k, _ := bk.Authenticate(token)
			e := admission.Estimate{Usage: admission.Usage{PromptTok: 20, OutputTok: 100}, PriceIn: 150e6, PriceOut: 600e6}
			var r admission.Reservation
			now := int64(1)
			for b.Loop() {
				now += 1000
				if v := bk.Reserve(now, k, &e, &r); v.Reason != admission.ReasonNone {
					b.Fatal(v.Reason)
				}
				bk.Settle(now, &r, admission.Usage{PromptTok: 7, OutputTok: 4}, 4)
			}
		})
	}
	b.Run("do=floor-sha256", func(b *testing.B) {
		token := []byte("sk-tollgate-bench-500")
		var sum [sha256.Size]byte
		for b.Loop() {
			sum = sha256.Sum256(token)
		}
		_ = sum
	})
}
