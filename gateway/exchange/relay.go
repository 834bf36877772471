package exchange

import (
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// mode is how the upstream's body passes.
type mode uint8

const (
	modePass   mode = iota // not read along
	modeJSON               // one JSON text
	modeSniff              // a stream was asked for; its first byte tells what came
	modeStream             // SSE
)

// holdBytes bounds what is held back: an answer that waits for its row, or a
// frame that may have to be hidden. What is longer goes on.
const holdBytes = 64 << 10

// relay is the part of an exchange that an answer passes through.
type relay struct {
	mode      mode
	good      bool // the upstream's status is a success
	hide      bool // usage was asked for by us: its frame is not shown
	opaque    bool // encoded: cannot be read along
	ttfb      int64
	length    int64 // announced, -1: not
	got       int64 // body bytes from the upstream
	responded bool
	emitted   int64 // body bytes given to the engine
	delivered int64 // of them, accepted for the client

	last     [1]byte // the last byte of a long answer that waits for its row
	lastHeld bool
	hidden   bool // the frame that ended last is not shown
	loose    bool // a part of the frame that is read was shown
	tail     bool // the terminator was seen and waits

	marksAt        int
	deliveredChars int64
}

// framed is the end of a frame in the bytes given to the engine, and the
// output characters up to there.
type framed struct{ end, chars int64 }

// onUpstreamHead takes the head of the answer.
func (x *Exchange) onUpstreamHead(h *ResponseHead, out *Actions) {
	x.countAttempt()
	x.state = stateRelaying
	x.status, x.length = h.Status, h.ContentLength
	x.good = h.Status >= 200 && h.Status < 300
	x.keepResponseFields(h.Fields)
	if !x.good {
		x.outcome = logrow.UpstreamError
		x.giveBack()
		x.hide = false
		return
	}
	stream := false
	for i := range h.Fields {
		f := &h.Fields[i]
		switch {
		case fold(f.Name, "content-type"):
			stream = foldPrefix(f.Value, "text/event-stream")
		case fold(f.Name, "content-encoding") && !fold(f.Value, "identity"):
			x.opaque = true
		}
	}
	switch {
	case x.opaque || !x.c.usage:
		x.hide = false
		if stream {
			x.respond(out, x.length)
		}
	case stream && x.route == routeChat:
		x.beginStream(out)
	case x.req.Stream && x.route == routeChat:
		x.mode = modeSniff
	default:
		x.mode = modeJSON
	}
}

// beginStream begins the response of a stream.
func (x *Exchange) beginStream(out *Actions) {
	x.mode = modeStream
	if x.hide || x.c.await {
		x.length = -1
	}
	x.respond(out, x.length)
}

// countAttempt counts, once, that the upstream got the request.
func (x *Exchange) countAttempt() {
	if !x.sent {
		x.sent = true
		x.count(ledger.UpstreamAttempts, 1)
	}
}

// onUpstreamBody passes bytes of the answer.
func (x *Exchange) onUpstreamBody(data []byte, out *Actions) {
	if len(data) == 0 {
		return
	}
	if x.got == 0 {
		x.ttfb = x.now - x.started
	}
	x.got += int64(len(data))
	if x.mode == modeSniff && x.sniff(data, out) {
		return
	}
	switch x.mode {
	case modeStream:
		x.passStream(data, out)
		return
	case modeJSON:
		x.sse.Feed(data)
	}
	x.passBody(data, out)
}

// sniff decides by the first byte that is no white space what came where a
// stream was asked for. It keeps white space until then and reports that it
// did.
func (x *Exchange) sniff(data []byte, out *Actions) (kept bool) {
	switch c := firstByte(data); {
	case c == '{' || c == '[':
		x.mode = modeJSON
	case c != 0:
		x.beginStream(out)
		before := x.hold
		x.hold = nil // passStream may write to its own
		x.passStream(before, out)
	case len(x.hold)+len(data) > holdBytes:
		x.mode = modeJSON
	default:
		x.hold = append(x.hold, data...)
		return true
	}
	return false
}

// firstByte is the first byte that is no white space, 0 when there is none.
func firstByte(data []byte) byte {
	for _, c := range data {
		if c > ' ' {
			return c
		}
	}
	return 0
}

// passBody passes bytes of an answer that is no stream. Where the end of the
// answer waits for its row, a short one waits whole, so that it can still be
// withheld; of a longer one the last byte waits.
func (x *Exchange) passBody(data []byte, out *Actions) {
	if x.c.await {
		if !x.responded && len(x.hold)+len(data) <= holdBytes {
			x.hold = append(x.hold, data...)
			return
		}
		if x.length >= 0 && x.got >= x.length && len(data) > 0 {
			x.last[0], x.lastHeld = data[len(data)-1], true
			data = data[:len(data)-1]
		}
	}
	if !x.responded {
		x.respond(out, x.length)
	}
	x.flush(out)
	x.write(out, data)
}

// flush writes what is held.
func (x *Exchange) flush(out *Actions) {
	if len(x.hold) > 0 {
		x.write(out, x.hold)
		x.hold, x.spare = x.spare[:0], x.hold
	}
}

// onUpstreamEnd ends the answer as the upstream ended it.
func (x *Exchange) onUpstreamEnd(out *Actions) {
	if x.mode == modeStream {
		x.endStream(out)
	} else {
		x.sse.EndDocument()
	}
	if x.good {
		x.settleWhole()
	}
	x.close(out, endTail)
}

// onUpstreamError ends an attempt that failed.
func (x *Exchange) onUpstreamError(f UpstreamFault, out *Actions) {
	switch x.state {
	case stateWaiting:
		if !f.unsent() {
			x.countAttempt()
		}
		x.giveBack()
		x.refuse(upstreamCause(f), out)
	case stateRelaying:
		switch {
		case x.mode == modeStream && x.sse.Done:
			x.onUpstreamEnd(out) // whole but for its framing
		case !x.responded:
			x.giveBack()
			x.hold = x.hold[:0]
			x.refuse(upstreamCause(f), out)
		default:
			x.breakOff(upstreamCause(f), out)
		}
	}
}

// breakOff ends an answer that began and cannot be made whole.
func (x *Exchange) breakOff(c cause, out *Actions) {
	x.outcome, x.reason = logrow.GatewayError, faults[c].reason
	if x.good {
		x.settleDelivered(x.sse.Chars)
	}
	if x.mode == modeStream && x.length < 0 {
		x.reply = faults[c].event
		x.close(out, endEvent)
		return
	}
	x.close(out, endAbort)
}
