package accounts

import (
	"unsafe"

	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// rowWordsAt and holdWordsAt view words of the region as arrays, so that the
// request path checks no bounds.

func rowWordsAt(r *shm.Region, at int) *[rowWords]int64 {
	_ = r.Word(at + rowWords - 1)
	return (*[rowWords]int64)(unsafe.Pointer(r.Word(at)))
}

func holdWordsAt(r *shm.Region, at int) *[holdWords]int64 {
	_ = r.Word(at + holdWords - 1)
	return (*[holdWords]int64)(unsafe.Pointer(r.Word(at)))
}
