package wire

import "encoding/binary"

// Character classes of RFC 9110 and RFC 3986, one bit each.
const (
	classToken  uint8 = 1 << iota // field names and methods
	classTarget                   // visible ASCII but '#': nothing that ends a target
	classHost                     // reg-name, IP literal and port
	classHex
)

var class = func() (t [256]uint8) {
	set := func(s string, c uint8) {
		for i := range len(s) {
			t[s[i]] |= c
		}
	}
	const alnum = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	set(alnum+"!#$%&'*+-.^_`|~", classToken)
	set(alnum+"-._~!$&'()*+,;=:[]", classHost)
	set("0123456789abcdefABCDEF", classHex)
	for b := 0x21; b < 0x7f; b++ {
		if b != '#' {
			t[b] |= classTarget
		}
	}
	return t
}()

// all reports whether every byte of b is in class c.
func all(b []byte, c uint8) bool {
	for _, x := range b {
		if class[x]&c == 0 {
			return false
		}
	}
	return true
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// cleanValue reports whether a field value holds no control character but
// HTAB. Eight bytes are looked at at once: a borrow out of x-0x20 marks bytes
// below 0x20, a zero in x^0x7f marks DEL; a marked word is read byte by byte
// (it may be a HTAB, or a false mark by a borrow from the byte below).
func cleanValue(b []byte) bool {
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		del := x ^ (0x7f * ones)
		if ((x-0x20*ones)&^x|(del-ones)&^del)&highs != 0 && !cleanBytes(b[:8]) {
			return false
		}
		b = b[8:]
	}
	return cleanBytes(b)
}

func cleanBytes(b []byte) bool {
	for _, c := range b {
		if c < 0x20 && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// Is reports whether a field name is the given one; lower must be in lower
// case and made of letters and hyphens.
func Is(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i := range len(lower) {
		if name[i]|0x20 != lower[i] {
			return false
		}
	}
	return true
}

// equalFold compares two ASCII strings without regard to case.
func equalFold(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		y := b[i]
		if 'A' <= x && x <= 'Z' {
			x |= 0x20
		}
		if 'A' <= y && y <= 'Z' {
			y |= 0x20
		}
		if x != y {
			return false
		}
	}
	return true
}

// trim takes spaces and tabs off both ends.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}
