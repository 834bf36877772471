package ledger

import (
	"unsafe"

	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// slotAt views words of the region as atomic counters: atomic.Int64 is one
// 64-bit word, and the region's words are 8-byte aligned.
func slotAt(r *shm.Region, base int) *[slotWords]int64Word {
	_ = r.Word(base + slotWords - 1)
	return (*[slotWords]int64Word)(unsafe.Pointer(r.Word(base)))
}
