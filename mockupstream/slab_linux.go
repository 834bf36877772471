package mockupstream

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// slab is memory for stamps. It is mapped outside Go's heap, because in the
// in-process shape a heap grown by the instrument would make the collector
// run less often for the gateway that is being measured.
type slab struct {
	stamps []contract.MockStamp
}

func newSlab(n int) *slab {
	size := n * int(unsafe.Sizeof(contract.MockStamp{}))
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		// A limit on address space: the heap has its own.
		return &slab{stamps: make([]contract.MockStamp, n)}
	}
	s := &slab{stamps: unsafe.Slice((*contract.MockStamp)(unsafe.Pointer(unsafe.SliceData(mem))), n)}
	// Stamps can be read after Close, so the mapping goes when the server does.
	runtime.AddCleanup(s, func(mem []byte) { _ = unix.Munmap(mem) }, mem)
	return s
}
