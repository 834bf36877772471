package exchange

import "unsafe"

// BodySpace is request-owned memory of n bytes to read body bytes into. An
// EvRequestBody whose Data begins there is not copied. A later call may return
// other memory; bytes not yet reported are lost then.
func (x *Exchange) BodySpace(n int) []byte {
	x.grow(n)
	l := len(x.body)
	return x.body[l : l+n : l+n]
}

// grow makes room for n more bytes, at least doubling.
func (x *Exchange) grow(n int) {
	l := len(x.body)
	if cap(x.body)-l >= n {
		return
	}
	b := make([]byte, l, max(2*cap(x.body), l+n, 1024))
	copy(b, x.body)
	x.body = b
}

// onBody takes body bytes.
func (x *Exchange) onBody(data []byte, out *Actions) {
	if most := x.c.d.Snapshot.Limits.MaxBodyBytes; most > 0 && int64(len(x.body))+int64(len(data)) > most {
		x.refuse(causeBodyTooLarge, out)
		return
	}
	if len(data) == 0 {
		return
	}
	l := len(x.body)
	if cap(x.body)-l >= len(data) && unsafe.SliceData(data) == unsafe.SliceData(x.body[l:l+1]) {
		x.body = x.body[:l+len(data)]
		return
	}
	x.grow(len(data))
	x.body = append(x.body, data...)
}
