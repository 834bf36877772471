package conn

import (
	"bytes"
	"testing"
)

// TestOutputPartly: whatever number of bytes a write accepts, only body bytes
// among them count as delivered.
func TestOutputPartly(t *testing.T) {
	long := bytes.Repeat([]byte("L"), copyBelow)
	fill := func() *output {
		o := &output{}
		o.frame(append(o.buf, "HEAD\r\n\r\n"...))
		o.data([]byte("abc"), true)
		o.data(long, true)
		o.data([]byte("de"), true)
		o.frame(append(o.buf, "0\r\n\r\n"...))
		return o
	}
	o := fill()
	o.vector()
	var wire []byte
	for _, part := range o.vec {
		wire = append(wire, part...)
	}
	want := "HEAD\r\n\r\n3\r\nabc\r\n2000\r\n" + string(long) + "\r\n2\r\nde\r\n0\r\n\r\n"
	if string(wire) != want || o.size != len(want) || o.body != len(long)+5 {
		t.Fatalf("wire %d bytes, size %d, body %d", len(wire), o.size, o.body)
	}
	inBody := func(i int) bool {
		return i >= 11 && i < 14 || i >= 22 && i < 22+len(long) || i >= 27+len(long) && i < 29+len(long)
	}
	body := 0
	for n := range len(want) + 1 {
		if n > 0 && inBody(n-1) {
			body++
		}
		if n > 30 && n < len(long) {
			continue
		}
		o := fill()
		if o.written(n); o.wrote != int64(body) || !o.empty() || o.referring() {
			t.Fatalf("%d bytes accepted: %d of the body, want %d", n, o.wrote, body)
		}
	}
}
