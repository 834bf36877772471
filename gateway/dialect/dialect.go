// Package dialect is what the codecs of all provider dialects have in common.
// Each dialect is a package below it. They are pure: bytes in, facts and edits
// out; no I/O, clock or lock.
package dialect

// Splice replaces Cut bytes at At of a body by Put. Splices of one body are in
// rising order of At and do not overlap.
type Splice struct {
	At, Cut int
	Put     []byte
}

// Len is the length of a body of n bytes after its splices.
func Len(n int, splices []Splice) int {
	for i := range splices {
		n += len(splices[i].Put) - splices[i].Cut
	}
	return n
}

// Append appends body with its splices put in to dst.
func Append(dst, body []byte, splices []Splice) []byte {
	at := 0
	for i := range splices {
		s := &splices[i]
		dst = append(dst, body[at:s.At]...)
		dst = append(dst, s.Put...)
		at = s.At + s.Cut
	}
	return append(dst, body[at:]...)
}
