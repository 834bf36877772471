package exchange

import (
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// ending is what is left to do for the client when everything is settled.
type ending uint8

const (
	endNone  ending = iota // the client is gone
	endReply               // an answer of the gateway's own, whole
	endTail                // the rest of the upstream's answer
	endEvent               // an error event, on a stream that began
	endAbort               // the connection ends without ending the response
)

// close logs the exchange and ends it. Where the row is promised before the
// response ends, the ending waits for it.
func (x *Exchange) close(out *Actions, e ending) {
	x.pending = e
	if !x.logs() {
		x.finish(out)
		return
	}
	if x.c.await {
		x.state = stateStoring
		x.appendRow(out, x.emitted+x.waiting())
		return
	}
	x.end(out)
	x.appendRow(out, x.emitted)
	x.done(out)
}

// waiting is the body bytes that the ending will write.
func (x *Exchange) waiting() int64 {
	switch x.pending {
	case endReply:
		if x.head {
			return 0
		}
		return int64(len(x.reply))
	case endEvent:
		n := int64(len(x.reply))
		if x.loose {
			n += int64(len(blankLine))
		}
		return n
	case endTail:
		n := int64(len(x.hold))
		if x.lastHeld {
			n++
		}
		return n
	}
	return 0
}

func (x *Exchange) finish(out *Actions) {
	x.end(out)
	x.done(out)
}

// end does what is left to do for the client.
func (x *Exchange) end(out *Actions) {
	switch x.pending {
	case endReply:
		x.sendReply(out)
	case endTail:
		if !x.responded {
			x.respond(out, x.tailLength())
		}
		x.flush(out)
		if x.lastHeld {
			x.write(out, x.last[:])
		}
		out.List = append(out.List, Action{Kind: ActFinish})
	case endEvent:
		if x.loose { // end the frame that was cut
			x.write(out, blankLine)
		}
		x.write(out, x.reply)
		out.List = append(out.List, Action{Kind: ActFinish})
	case endAbort:
		out.List = append(out.List, Action{Kind: ActAbort})
	}
}

var blankLine = []byte("\n\n")

// tailLength is the length of an answer that waited whole, or had no body.
func (x *Exchange) tailLength() int64 {
	if x.length >= 0 {
		return x.length
	}
	return int64(len(x.hold))
}

// done counts how the exchange ended. It is the last thing that happens.
func (x *Exchange) done(out *Actions) {
	if x.reason != "" && x.c.d.Snapshot.Stages.Ledger {
		x.c.d.Ledger.AddReason(x.reason)
	}
	if x.route.spends() {
		switch x.outcome {
		case logrow.Answered:
			x.count(ledger.Answered, 1)
		case logrow.Rejected:
			x.count(ledger.Rejected, 1)
		case logrow.UpstreamError:
			x.count(ledger.UpstreamErrors, 1)
		case logrow.GatewayError:
			x.count(ledger.GatewayErrors, 1)
		case logrow.ClientLeft:
			x.count(ledger.ClientLeft, 1)
		}
	}
	x.count(ledger.InFlight, -1)
	x.state = stateDone
	out.List = append(out.List, Action{Kind: ActDone})
}

// onStored goes on when the row is durable, or could not be made so.
func (x *Exchange) onStored(err error, out *Actions) {
	if err != nil && x.pending != endNone {
		x.withhold()
	}
	x.finish(out)
}

// withhold ends an exchange whose row could not be stored: the client must not
// take its answer for a whole one.
func (x *Exchange) withhold() {
	switch {
	case x.pending == endAbort:
	case !x.responded:
		x.hold, x.lastHeld = x.hold[:0], false
		x.own(causeLogStore)
		x.pending = endReply
		return
	case x.mode == modeStream && x.length < 0:
		x.hold, x.tail = x.hold[:0], false
		x.reply = faults[causeLogStore].event
		x.pending = endEvent
	default:
		x.pending = endAbort
	}
	x.outcome, x.reason = logrow.GatewayError, ReasonLogStore
}

// onCancelled settles for a client that is gone.
func (x *Exchange) onCancelled(out *Actions) {
	switch x.state {
	case stateNew:
		x.state = stateDone
		out.List = append(out.List, Action{Kind: ActDone})
		return
	case stateStoring:
		x.pending = endNone // EvStored is still to come
		return
	case stateDone:
		return
	}
	x.outcome, x.reason = logrow.ClientLeft, ""
	if x.state == stateWaiting || x.state == stateRelaying {
		out.List = append(out.List, Action{Kind: ActCancelUpstream, Attempt: x.attempt})
	}
	switch x.state {
	case stateWaiting:
		x.countAttempt()
		x.giveBack()
	case stateRelaying:
		switch {
		case x.good && x.arrived():
			if x.mode != modeStream {
				x.sse.EndDocument()
			}
			x.settleWhole()
		case x.good && x.responded:
			x.deliver(x.delivered)
			x.settleDelivered(x.deliveredChars)
		default:
			x.giveBack()
		}
	}
	if !x.responded {
		x.status = 0
	}
	x.close(out, endNone)
}

// arrived reports whether a client that is gone took the whole answer first:
// it may leave before the engine has told of the upstream's end.
func (x *Exchange) arrived() bool {
	if !x.responded || x.delivered < x.emitted || len(x.hold) > 0 || x.lastHeld {
		return false
	}
	if x.mode == modeStream {
		return x.sse.Done
	}
	return x.length >= 0 && x.got >= x.length
}
