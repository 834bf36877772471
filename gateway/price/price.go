// Package price turns tokens into money. Money is int64 nano-dollars (1e-9
// dollars), prices are nano-dollars per million tokens, and a request's cost
// is rounded up once, after prompt and output were added: a gateway that
// rounds each part up would bill more than the provider, one that rounds down
// would let a budget be passed by many small requests.
package price

import (
	"math"
	"math/bits"
)

// perMillion is the number of tokens that a price is for.
const perMillion = 1_000_000

// Cost is what a request costs in nano-dollars: prompt and output tokens at
// their prices per million tokens, rounded up once. Negative arguments count
// as 0; a cost beyond int64 (9.2 billion dollars) is math.MaxInt64.
func Cost(priceIn, priceOut, promptTok, outputTok int64) int64 {
	if small(priceIn) && small(priceOut) && small(promptTok) && small(outputTok) {
		return (priceIn*promptTok + priceOut*outputTok + perMillion - 1) / perMillion
	}
	inHi, inLo := bits.Mul64(natural(priceIn), natural(promptTok))
	outHi, outLo := bits.Mul64(natural(priceOut), natural(outputTok))
	// Both products are below 2^126, so that their sum and the rounding fit.
	lo, carry := bits.Add64(inLo, outLo, 0)
	hi, _ := bits.Add64(inHi, outHi, carry)
	lo, carry = bits.Add64(lo, perMillion-1, 0)
	hi += carry
	if hi >= perMillion { // the quotient needs more than 64 bits
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, perMillion)
	return int64(min(q, math.MaxInt64))
}

// small reports whether a product of two such numbers, added to another, fits
// in int64: the case of every real request, without 128-bit arithmetic.
func small(v int64) bool { return uint64(v) < 1<<30 }

func natural(v int64) uint64 {
	if v < 0 {
		return 0
	}
	return uint64(v)
}
