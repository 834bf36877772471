//go:build !linux

package mockupstream

import "github.com/tollgate-lab/tollgate/results/contract"

// slab is memory for stamps.
type slab struct {
	stamps []contract.MockStamp
}

func newSlab(n int) *slab { return &slab{stamps: make([]contract.MockStamp, n)} }
