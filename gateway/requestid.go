package gateway

import (
	"encoding/hex"
	"math/rand/v2"
)

// newRequestID writes the id of a request that came without one: "tg-" and 128
// random bits. They need not be secret, only distinct, so they come from the
// runtime's generator, which takes no lock.
func newRequestID(dst []byte) int {
	const prefix = "tg-"
	var bits [16]byte
	for i := range 2 {
		v := rand.Uint64()
		for j := range 8 {
			bits[8*i+j] = byte(v >> (8 * j))
		}
	}
	n := copy(dst, prefix)
	return n + hex.Encode(dst[n:], bits[:])
}
