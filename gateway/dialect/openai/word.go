package openai

import (
	"encoding/binary"
	"math/bits"
)

// Eight bytes are examined at once. For a byte value v, z = x ^ v*ones has a
// zero byte wherever x holds v, and (z - ones) &^ z & highs has the high bit set
// at the first of them (bits above it may be false; only the lowest is used).
const (
	ones   = 0x0101010101010101
	highs  = 0x8080808080808080
	quotes = '"' * ones
	backs  = '\\' * ones
	spaces = ' ' * ones
	cases  = 0x20 * ones
	opens  = '{' * ones
	closes = '}' * ones
)

// plain is the index, at or after i, of the first quote, backslash or control
// character of b, or len(b). cont is how many UTF-8 continuation bytes lie
// before it: characters are bytes less these.
func plain(b []byte, i int) (end, cont int) {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		q, s := x^quotes, x^backs
		m := ((q-ones)&^q | (s-ones)&^s | (x-spaces)&^x) & highs
		if m != 0 {
			n := bits.TrailingZeros64(m) >> 3
			if x&highs != 0 {
				cont += continuations(x & (1<<(8*n) - 1))
			}
			return i + n, cont
		}
		if x&highs != 0 {
			cont += continuations(x)
		}
	}
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"' || c == '\\' || c < ' ':
			return i, cont
		case c&0xC0 == 0x80:
			cont++
		}
	}
	return i, cont
}

// continuations counts the bytes of x of the form 10xxxxxx.
func continuations(x uint64) int { return bits.OnesCount64(x >> 7 & ^(x >> 6) & ones) }

// bracket is the index, at or after i, of the first quote or bracket of b, or
// len(b). '[' and ']' are '{' and '}' without the bit 0x20.
func bracket(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		l := x | cases
		q, o, c := x^quotes, l^opens, l^closes
		if m := ((q-ones)&^q | (o-ones)&^o | (c-ones)&^c) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for ; i < len(b); i++ {
		switch b[i] {
		case '"', '[', ']', '{', '}':
			return i
		}
	}
	return i
}
