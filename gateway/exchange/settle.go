package exchange

import (
	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/dialect/openai"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/price"
)

// settleWhole bills an answer that the upstream ended.
func (x *Exchange) settleWhole() {
	x.outcome = logrow.Answered
	if x.mode == modeStream {
		x.outcomeOfStream()
	}
	chars := x.sse.Chars
	if x.opaque {
		chars = x.got // nothing better is known of what cannot be read
	}
	x.settle(chars)
}

// settleDelivered bills an answer that was cut, by chars output characters.
func (x *Exchange) settleDelivered(chars int64) {
	if x.mode != modeStream {
		x.sse.EndDocument()
		chars = 0
	}
	x.settle(chars)
}

// settle turns the reservation into spend: by the upstream's usage where it
// came, else by chars characters of output.
func (x *Exchange) settle(chars int64) {
	if !x.c.usage {
		return
	}
	u := &x.sse.Usage
	x.prompt, x.output = u.Billed()
	if !u.HasPrompt && !u.HasTotal {
		x.prompt, x.estimated = x.promptEst, true
	}
	// Output that came after the last usage is not in it.
	switch more := chars - x.sse.UsageChars; {
	case x.route == routeEmbeddings:
		x.output = 0
	case !u.HasOutput && !u.HasTotal:
		x.output, x.estimated = openai.Estimate(chars), true
	case more > 0:
		x.output, x.estimated = x.output+openai.Estimate(more), true
	}
	m := &x.c.d.Snapshot.Models[x.model]
	x.cost = price.Cost(m.PriceIn, m.PriceOut, x.prompt, x.output)
	if x.reservation.Held {
		x.c.d.Admitter.Settle(x.now, &x.reservation, admission.Usage{PromptTok: x.prompt, OutputTok: x.output}, x.cost)
		x.unheld()
	}
	x.count(ledger.BilledPrompt, x.prompt)
	x.count(ledger.BilledOutput, x.output)
	x.count(ledger.SpendNano, x.cost)
	if x.outcome != logrow.Answered {
		x.count(ledger.BilledAbortedOutput, x.output)
	}
	if x.estimated {
		x.count(ledger.Estimated, 1)
	}
}

// giveBack gives the whole reservation back.
func (x *Exchange) giveBack() {
	if x.reservation.Held {
		x.c.d.Admitter.Release(x.now, &x.reservation)
		x.unheld()
	}
}

func (x *Exchange) unheld() {
	x.reservation = admission.Reservation{}
	x.count(ledger.OpenReservations, -1)
}
