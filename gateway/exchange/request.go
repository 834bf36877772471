package exchange

import (
	"bytes"
	"strconv"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/dialect/openai"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
)

// onEnd acts on a request that was read whole.
func (x *Exchange) onEnd(out *Actions) {
	x.whole = true
	x.count(ledger.ReadWhole, 1)
	if f := x.req.Scan(x.body); f != openai.FaultNone {
		x.refuseBody(f, out)
		return
	}
	if x.req.Model.Absent() {
		x.refuse(causeMissingModel, out)
		return
	}
	name := x.req.Model.Of(x.body)
	name = name[1 : len(name)-1]
	if x.req.ModelEscaped {
		at := len(x.arena)
		x.arena = x.req.Name(x.arena, x.body)
		name = x.arena[at:]
	}
	m, ok := x.find(name)
	if !ok {
		x.refuseQuoting(causeModelNotFound, short(name), out)
		return
	}
	x.model = m
	s := x.c.d.Snapshot
	if s.Stages.Auth && !x.c.d.Admitter.ModelAllowed(x.key, m) {
		x.refuseQuoting(causeModelDenied, short(name), out)
		return
	}
	x.promptEst = openai.Estimate(x.req.PromptChars)
	if s.Stages.Admission {
		if v := x.reserve(); v.Reason != admission.ReasonNone {
			c, retry := refusal(v.Reason), v.RetryAfterNs
			if c == causeUnavailable {
				retry = max(retry, 1)
			}
			x.refuseFor(c, retry, out)
			return
		}
	}
	x.open(out)
}

// refuseBody answers a body that is not what it must be.
func (x *Exchange) refuseBody(f openai.Fault, out *Actions) {
	switch f {
	case openai.FaultNotObject:
		x.refuse(causeNotObject, out)
	case openai.FaultDeep:
		x.refuse(causeDeep, out)
	case openai.FaultDuplicate:
		x.refuseQuoting(causeDuplicate, x.copyOf([]byte(x.req.Param)), out)
	case openai.FaultModelType:
		x.refuse(causeModelType, out)
	case openai.FaultStreamType:
		x.refuse(causeStreamType, out)
	default:
		at := len(x.arena)
		x.arena = strconv.AppendInt(x.arena, int64(x.req.At), 10)
		x.refuseQuoting(causeNotJSON, x.arena[at:], out)
	}
}

// find is the model of a name that a client asks for.
func (x *Exchange) find(name []byte) (int, bool) {
	s := x.c.d.Snapshot
	if i, ok := s.ByName[string(name)]; ok {
		return i, true
	}
	return s.AnyModel, s.AnyModel >= 0
}

// short cuts a name to what may stand in a message.
func short(name []byte) []byte { return name[:min(len(name), 128)] }

// reserve charges what the request may cost at most.
func (x *Exchange) reserve() admission.Verdict {
	m := &x.c.d.Snapshot.Models[x.model]
	e := &x.estimate
	*e = admission.Estimate{
		Usage:   admission.Usage{PromptTok: x.promptEst},
		PriceIn: m.PriceIn, PriceOut: m.PriceOut,
	}
	if x.route == routeChat {
		most := m.MaxOutputTok
		if own := x.req.MaxTokens; own > 0 && (most <= 0 || own < most) {
			most = own
		}
		e.OutputTok = times(most, x.req.N)
	}
	v := x.c.d.Admitter.Reserve(x.now, x.key, e, &x.reservation)
	x.setRate(v.Rate)
	if x.reservation.Held {
		x.count(ledger.OpenReservations, 1)
	}
	return v
}

// times is a*b, at most 2^53.
func times(a, b int64) int64 {
	const most = int64(1) << 53
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > most/b {
		return most
	}
	return a * b
}

// open sends the request to its upstream.
func (x *Exchange) open(out *Actions) {
	m := &x.c.d.Snapshot.Models[x.model]
	p := &x.c.d.Snapshot.Providers[m.Provider]
	ask := x.c.usage && x.route == routeChat
	x.splices, x.hide = x.req.Splices(x.splices, x.body, x.aliasOf(), ask)
	x.addUpstreamFields(p.Auth)
	path := x.c.paths[m.Provider][x.route]
	if len(x.query) > 0 {
		at := len(x.arena)
		x.arena = append(append(x.arena, path...), x.query...)
		path = x.arena[at:len(x.arena):len(x.arena)]
	}
	x.up = Upstream{
		Endpoint: m.Provider, Method: "POST", Path: path, Fields: x.upFields,
		Body: x.body, Splices: x.splices,
		ConnTimeoutNs: p.ConnTimeoutNs, HeadTimeoutNs: p.HeadTimeoutNs, BodyTimeoutNs: p.BodyTimeoutNs,
	}
	x.state = stateWaiting
	out.List = append(out.List, Action{Kind: ActOpenUpstream, Upstream: &x.up, Attempt: x.attempt})
}

// aliasOf is the name to send on as JSON, nil where the client's own goes on.
// A model that several names lead to may be asked for by its upstream name.
func (x *Exchange) aliasOf() []byte {
	alias := x.c.alias[x.model]
	if alias == nil || bytes.Equal(alias, x.req.Model.Of(x.body)) {
		return nil
	}
	return alias
}
