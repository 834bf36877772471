package exchange

import "github.com/tollgate-lab/tollgate/gateway/logrow"

// logs reports whether the exchange gets a row.
func (x *Exchange) logs() bool { return x.whole && x.c.d.Snapshot.Stages.Log }

// appendRow hands the row over; out is the bytes of the response body.
func (x *Exchange) appendRow(out *Actions, bytesOut int64) {
	if x.outcome == logrow.ClientLeft {
		bytesOut = x.delivered
	}
	r := &x.row
	*r = logrow.Row{
		StartedNs: x.started, TTFBNs: x.ttfb, TotalNs: x.now - x.started,
		Surface: x.route.surface(), Status: int32(x.status), Outcome: x.outcome, Reason: x.reason,
		Stream: x.req.Stream, Estimated: x.estimated,
		PromptTok: x.prompt, OutputTok: x.output, CostNano: x.cost,
		BytesIn: int64(len(x.body)), BytesOut: bytesOut,
	}
	r.SetID(x.id)
	if x.c.d.Snapshot.Stages.Auth {
		r.Key = x.c.d.Admitter.KeyName(x.key)
	}
	if x.model >= 0 {
		m := &x.c.d.Snapshot.Models[x.model]
		r.Model, r.Provider = m.Name, x.c.d.Snapshot.Providers[m.Provider].Endpoint.Name
	}
	out.List = append(out.List, Action{Kind: ActAppendRow, Row: r, Await: x.c.await})
}
