package exchange

import (
	"github.com/tollgate-lab/tollgate/gateway/dialect/openai"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// passStream passes bytes of a stream. Whole frames leave as they came, in as
// few pieces as they can. A frame that is incomplete waits only while it may
// be one that is hidden, or the terminator that waits for the row.
func (x *Exchange) passStream(data []byte, out *Actions) {
	if x.tail {
		x.keepTail(data)
		return
	}
	from := 0  // data[from:] is not written yet
	frame := 0 // where the frame that is read begins in data, 0 also when before
	for i := 0; i < len(data); {
		n, kind := x.sse.Scan(data[i:])
		i += n
		switch kind {
		case openai.FrameNone: // all is read
			continue
		case openai.FrameTail:
			if x.hidden {
				from = i
			}
			frame = i
			continue
		}
		x.hidden = x.hide && x.sse.UsageOnly && !x.loose
		x.loose = false
		switch {
		case x.hidden:
			x.hold = x.hold[:0]
			x.write(out, data[from:frame])
			from = i
		case kind == openai.FrameDone && x.c.await:
			x.write(out, data[from:frame])
			x.tail = true
			x.keepTail(data[frame:])
			// What follows the terminator tells nothing.
			return
		default:
			x.flush(out)
			if x.sse.Chars > x.marked() {
				x.marks = append(x.marks, framed{x.emitted + int64(i-from), x.sse.Chars})
			}
		}
		frame = i
	}
	if x.holds() && len(x.hold)+len(data)-frame <= holdBytes {
		x.write(out, data[from:frame])
		x.hold = append(x.hold, data[frame:]...)
		return
	}
	x.loose = x.sse.Inside()
	x.flush(out)
	x.write(out, data[from:])
}

// holds reports whether the frame that is being read must wait.
func (x *Exchange) holds() bool {
	if !x.sse.Inside() || x.loose {
		return false
	}
	return x.hide && !x.sse.Shown() || x.c.await && x.sse.MayEnd()
}

// keepTail keeps the terminator and what follows it until the row is stored.
func (x *Exchange) keepTail(data []byte) {
	if len(x.hold)+len(data) <= holdBytes {
		x.hold = append(x.hold, data...)
	}
}

// endStream acts on the end of a stream: a frame that lacks its blank line
// ends here.
func (x *Exchange) endStream(out *Actions) {
	if x.tail {
		return
	}
	kind := x.sse.End()
	if kind != openai.FrameNone && x.hide && x.sse.UsageOnly && !x.loose {
		x.hold = x.hold[:0]
	}
	if kind != openai.FrameDone || !x.c.await {
		x.flush(out)
	}
}

// marked is the output characters up to the last mark.
func (x *Exchange) marked() int64 {
	if n := len(x.marks); n > x.marksAt {
		return x.marks[n-1].chars
	}
	return x.deliveredChars
}

// deliver takes how much of the answer the client's side has accepted.
func (x *Exchange) deliver(n int64) {
	x.delivered = n
	for x.marksAt < len(x.marks) && x.marks[x.marksAt].end <= n {
		x.deliveredChars = x.marks[x.marksAt].chars
		x.marksAt++
	}
	if x.marksAt == len(x.marks) {
		x.marks, x.marksAt = x.marks[:0], 0
	}
}

// outcomeOfStream is how a stream ended that the upstream ended itself.
func (x *Exchange) outcomeOfStream() {
	switch {
	case x.sse.Failed:
		x.outcome, x.reason = logrow.UpstreamError, ReasonStreamError
	case !x.sse.Done && x.sse.Finish == openai.FinishNone:
		x.outcome, x.reason = logrow.Answered, ReasonUnterminated
	default:
		x.outcome = logrow.Answered
	}
}
