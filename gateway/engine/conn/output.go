package conn

import (
	"net"

	"github.com/tollgate-lab/tollgate/gateway/wire"
)

// copyBelow: data up to this many bytes is copied behind the head and leaves
// in one plain write; longer data is written from where it lies (writev). The
// copy of a few KB costs less than a vector.
const copyBelow = 8 << 10

// output gathers what goes to the client.
type output struct {
	buf  []byte // heads, framing and short data
	refs []ref  // long data, to be put in between
	// runs are lengths in the order of the wire, negative for what is no body,
	// so that a write that stopped half-way can be counted in body bytes.
	runs  []int
	size  int // bytes of buf and refs
	body  int // body bytes among them
	vec   net.Buffers
	vec0  net.Buffers // vec's memory: writing consumes vec
	wrote int64       // body bytes of this response that write(2) has accepted
}

// ref is data that stands before buf[at:].
type ref struct {
	at   int
	data []byte
}

func (o *output) empty() bool { return o.size == 0 }

// referring reports whether data of the current step is referred to.
func (o *output) referring() bool { return len(o.refs) > 0 }

// frame accounts for bytes that were appended to buf and are no body.
func (o *output) frame(buf []byte) {
	o.run(-(len(buf) - len(o.buf)))
	o.size += len(buf) - len(o.buf)
	o.buf = buf
}

func (o *output) run(n int) {
	if k := len(o.runs); k > 0 && (o.runs[k-1] < 0) == (n < 0) {
		o.runs[k-1] += n
		return
	}
	o.runs = append(o.runs, n)
}

// data adds body bytes, as a chunk of their own when chunked.
func (o *output) data(b []byte, chunked bool) {
	if len(b) == 0 {
		return
	}
	if chunked {
		o.frame(wire.AppendChunkHead(o.buf, len(b)))
	}
	if len(b) < copyBelow {
		o.buf = append(o.buf, b...)
	} else {
		o.refs = append(o.refs, ref{len(o.buf), b})
	}
	o.run(len(b))
	o.size += len(b)
	o.body += len(b)
	if chunked {
		o.frame(append(o.buf, wire.ChunkEnd...))
	}
}

// vector lays buf and refs out in the order of the wire.
func (o *output) vector() {
	o.vec = o.vec0[:0]
	from := 0
	for _, r := range o.refs {
		if r.at > from {
			o.vec = append(o.vec, o.buf[from:r.at])
		}
		o.vec = append(o.vec, r.data)
		from = r.at
	}
	if from < len(o.buf) {
		o.vec = append(o.vec, o.buf[from:])
	}
	o.vec0 = o.vec
}

// written accounts for n bytes that were accepted, and empties the output.
func (o *output) written(n int) {
	if n == o.size {
		o.wrote += int64(o.body)
	} else {
		o.wrote += int64(o.bodyWithin(n))
	}
	for i := range o.refs {
		o.refs[i].data = nil
	}
	clear(o.vec0)
	o.refs, o.runs, o.size, o.body = o.refs[:0], o.runs[:0], 0, 0
	o.buf = o.buf[:0]
}

// bodyWithin counts the body bytes among the first n.
func (o *output) bodyWithin(n int) (body int) {
	for _, run := range o.runs {
		k := min(n, max(run, -run))
		if run > 0 {
			body += k
		}
		n -= k
	}
	return body
}
