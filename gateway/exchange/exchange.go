package exchange

import (
	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/dialect/openai"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

type state uint8

const (
	stateNew      state = iota
	stateReading        // the request's body
	stateWaiting        // for the upstream's head
	stateRelaying       // the upstream's body
	stateStoring        // for EvStored
	stateDone
)

// Exchange is one request and its answer. It has one owner, which calls Step
// with one event after another. An event that cannot happen in the present
// state is ignored.
type Exchange struct {
	memory
	life
}

// memory is what an exchange keeps from request to request: buffers, and
// values that are written whole before they are read.
type memory struct {
	body     []byte
	arena    []byte // copies of what events lend
	upFields []Field
	fields   []Field // of the response
	splices  []Splice
	req      openai.Request
	up       Upstream
	sse      openai.Stream
	row      logrow.Row
	estimate admission.Estimate // lent to the admitter: here, so that it is not allocated

	// hold keeps bytes that wait: of an incomplete frame, of the tail of a
	// stream, or of a whole short answer. spare is its other half: what an
	// action lends must not be written over in the same Step.
	hold, spare []byte
	marks       []framed // ends of frames that are not known to be delivered
}

// life is what an exchange knows of its one request.
type life struct {
	c     *Core
	state state
	route route
	now   int64 // of the last Step

	// The request.
	started int64
	id      []byte
	head    bool // method HEAD: the answer has no body
	query   []byte
	key     admission.KeyRef
	model   int // index in the snapshot, -1: none yet
	whole   bool

	// What it may cost.
	reservation admission.Reservation
	rate        admission.Rate
	rated       bool // rate is set
	promptEst   int64

	// The answer.
	relay
	attempt int
	sent    bool // the attempt is counted
	status  int
	reply   []byte // of an answer of the gateway's own

	// How it ended.
	outcome   logrow.Outcome
	reason    string
	prompt    int64
	output    int64
	cost      int64
	estimated bool
	pending   ending
}

// keepBytes is the most memory of one buffer that a pooled exchange keeps.
const keepBytes = 1 << 20

// reset makes x ready for a request and keeps its memory.
func (x *Exchange) reset(c *Core) {
	x.life = life{c: c, key: admission.NoKey, model: -1}
	x.body, x.arena = x.body[:0], x.arena[:0]
	x.upFields, x.fields, x.splices = x.upFields[:0], x.fields[:0], x.splices[:0]
	x.hold, x.spare, x.marks = x.hold[:0], x.spare[:0], x.marks[:0]
	x.sse.Reset()
}

// trim lets go of buffers that one large request made.
func (x *Exchange) trim() {
	for _, b := range []*[]byte{&x.body, &x.arena, &x.hold, &x.spare} {
		if cap(*b) > keepBytes {
			*b = nil
		}
	}
	const keepMarks = keepBytes / 16
	if cap(x.marks) > keepMarks {
		x.marks = nil
	}
	x.c, x.id, x.query, x.reply = nil, nil, nil, nil
}

// Step takes what happened at now (Unix nanoseconds, never going back) and
// fills out with what to do. It resets out first.
func (x *Exchange) Step(now int64, ev *Event, out *Actions) {
	out.Reset()
	x.now = now
	if ev.Delivered > x.delivered {
		x.deliver(ev.Delivered)
	}
	switch ev.Kind {
	case EvRequestHead:
		if x.state == stateNew {
			x.onHead(ev.Head, out)
		}
	case EvRequestBody:
		if x.state == stateReading {
			x.onBody(ev.Data, out)
		}
	case EvRequestEnd:
		if x.state == stateReading {
			x.onEnd(out)
		}
	case EvUpstreamHead:
		if x.state == stateWaiting && ev.Attempt == x.attempt {
			x.onUpstreamHead(ev.Response, out)
		}
	case EvUpstreamBody:
		if x.state == stateRelaying && ev.Attempt == x.attempt {
			x.onUpstreamBody(ev.Data, out)
		}
	case EvUpstreamEnd:
		if x.state == stateRelaying && ev.Attempt == x.attempt {
			x.onUpstreamEnd(out)
		}
	case EvUpstreamError:
		if ev.Attempt == x.attempt {
			x.onUpstreamError(ev.Fault, out)
		}
	case EvCancelled:
		x.onCancelled(out)
	case EvStored:
		if x.state == stateStoring {
			x.onStored(ev.Err, out)
		}
	case EvBadRequest:
		if x.state == stateNew || x.state == stateReading {
			x.onUnreadable(ev.Status, ev.Reason, out)
		}
	case EvTimer: // no timer is set
	}
}

// begin counts the exchange among those in flight.
func (x *Exchange) begin() {
	x.started = x.now
	x.count(ledger.InFlight, 1)
}

func (x *Exchange) count(c ledger.Counter, n int64) {
	if x.c.d.Snapshot.Stages.Ledger {
		x.c.d.Ledger.Add(c, n)
	}
}

// copyOf copies b into request-owned memory.
func (x *Exchange) copyOf(b []byte) []byte {
	at := len(x.arena)
	x.arena = append(x.arena, b...)
	return x.arena[at:len(x.arena):len(x.arena)]
}
