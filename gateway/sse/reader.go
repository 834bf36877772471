package sse

import "bytes"

// Frame is one event of a stream. Its slices are valid until the reader is
// called again.
type Frame struct {
	Event []byte // the event: field; empty when there was none
	Data  []byte
}

// MaxFrame is the longest frame that is read whole, in bytes.
const MaxFrame = 16 << 20

// Reader reads the frames of one stream.
type Reader struct {
	// TooLong is set when a frame was longer than MaxFrame: the rest of it was
	// passed over, and the stream cannot be trusted from there on.
	TooLong bool

	begun bool // the byte order mark is behind us
	skip  bool // the last byte was CR: an LF that follows belongs to it
	line  []byte
	event []byte
	data  []byte
	has   bool // the frame has data
	part  bool // line holds the beginning of a line
}

// Reset begins another stream and keeps the memory.
func (r *Reader) Reset() {
	*r = Reader{line: r.line[:0], event: r.event[:0], data: r.data[:0]}
}

const mark = "\xEF\xBB\xBF"

// Next reads up to the end of the next frame that has data. n is the bytes of
// b it took; ok is false when b ended first, and then it took all of it.
func (r *Reader) Next(b []byte) (f Frame, n int, ok bool) {
	i := 0
	if f, n = r.whole(b); n > 0 {
		return f, n, true
	}
	for i < len(b) {
		if r.skip {
			r.skip = false
			if b[i] == '\n' {
				i++
				continue
			}
		}
		end := lineEnd(b, i)
		if end == len(b) {
			r.keep(b[i:])
			return Frame{}, len(b), false
		}
		line := b[i:end]
		if r.part {
			r.keep(line)
			line = r.line
		}
		i = end + 1
		r.skip = b[end] == '\r'
		done := r.take(line)
		r.line, r.part = r.line[:0], false
		if done {
			if r.skip && i < len(b) {
				r.skip = false
				if b[i] == '\n' {
					i++
				}
			}
			return r.frame(), i, true
		}
	}
	return Frame{}, len(b), false
}

// whole is the short way: b begins with "data: …\n\n" and nothing is pending.
func (r *Reader) whole(b []byte) (Frame, int) {
	const head = "data: "
	if r.part || r.has || r.skip || len(r.event) > 0 || len(b) < len(head)+2 || string(b[:len(head)]) != head {
		return Frame{}, 0
	}
	end := bytes.IndexByte(b, '\n')
	if end < 0 || end+1 == len(b) || b[end+1] != '\n' || bytes.IndexByte(b[:end], '\r') >= 0 {
		return Frame{}, 0
	}
	r.begun = true
	return Frame{Data: b[len(head):end]}, end + 2
}

// lineEnd is the index of the first CR or LF at or after i, or len(b).
func lineEnd(b []byte, i int) int {
	end := len(b)
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		end = i + n
	}
	if n := bytes.IndexByte(b[i:end], '\r'); n >= 0 {
		end = i + n
	}
	return end
}

func (r *Reader) keep(b []byte) {
	if len(r.line)+len(b)+len(r.data) > MaxFrame {
		r.TooLong = true
		r.line = r.line[:0]
		b = nil
	}
	r.line = append(r.line, b...)
	r.part = true
}

// take reads one line; it reports whether the frame has ended and has data.
func (r *Reader) take(line []byte) (done bool) {
	if !r.begun {
		r.begun = true
		line = bytes.TrimPrefix(line, []byte(mark))
	}
	if len(line) == 0 {
		if !r.has {
			r.event = r.event[:0]
		}
		return r.has
	}
	name, value := line, line[len(line):]
	if line[0] == '{' {
		name, value = dataName, line
	} else if c := bytes.IndexByte(line, ':'); c >= 0 {
		name, value = line[:c], line[c+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(name) {
	case "data":
		if r.has {
			r.data = append(r.data, '\n')
		}
		if len(r.data)+len(value) > MaxFrame {
			r.TooLong = true
			value = nil
		}
		r.data, r.has = append(r.data, value...), true
	case "event":
		r.event = append(r.event[:0], value...)
	}
	return false
}

var dataName = []byte("data")

// frame gives out what was gathered. Its memory is used again for the next
// one.
func (r *Reader) frame() Frame {
	f := Frame{Event: r.event, Data: r.data}
	r.event, r.data, r.has = r.event[:0], r.data[:0], false
	return f
}

// End says that the stream has ended. A frame that lacks its blank line is
// given out; ok is false when there was none.
func (r *Reader) End() (f Frame, ok bool) {
	if r.part {
		r.take(r.line)
		r.line, r.part = r.line[:0], false
	}
	if !r.has {
		return Frame{}, false
	}
	return r.frame(), true
}

// Inside reports whether the last byte read lies inside a frame.
func (r *Reader) Inside() bool { return r.part || r.has }
