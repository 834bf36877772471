package mockupstream

import (
	"strconv"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// answer answers the request that the parser holds, and counts it. It reports
// whether the connection goes on.
func (c *conn) answer() bool {
	cs, r := c.script, &c.parser.req
	m, scripted := c.choose(cs, r)
	d := delivery{m: m, wire: m.wire, whole: len(m.wire), coalesce: cs.script.Coalesce}
	if scripted {
		d.fault = cs.drawFault(m.stream)
		if cs.timed {
			d.timing = &cs.script.Timing
			d.draw = mix(cs.script.Seed) + mix(cs.seq.Add(1))
		}
	}
	if r.method == methodHead {
		d.whole = m.head
	}
	o := &c.outcome
	*o = outcome{stamp: contract.MockStamp{ID: r.id(), Received: c.readAt}, prompt: m.prompt}
	if m.stream {
		o.stamp.Flags = contract.StampStreamed
	}
	if len(m.slots) > 0 {
		o.prompt = r.text.tokens()
		d.wire = c.fillSlots(m, o.prompt)
	}
	d.apply(r.mode())
	if d.m != m {
		o.prompt = d.m.prompt
	}

	// An instant answer costs one turn of the shard's lock less: its request
	// and its last write are announced together.
	instant := d.timing == nil && d.end == endOpen
	in := c.in
	c.in = 0
	o.epoch = c.shard.received(r, in, instant)
	more := c.deliver(&d, o, instant)
	o.out, c.out = c.out, 0
	c.shard.ended(o)
	return more && r.persist && !(d.m.stream && r.http10)
}

// choose finds the message for a request, and whether the script's waits and
// faults apply to it.
func (c *conn) choose(cs *compiled, r *request) (m *message, scripted bool) {
	md := r.mode()
	switch r.route {
	case routeChat, routeEmbeddings:
		switch {
		case r.method != methodPost:
			return wantPost.answer[md], false
		case !r.body.ok():
			return badJSON.answer[md], false
		}
		a := c.answers(cs, r.body.modelName())
		switch {
		case r.route == routeEmbeddings:
			return a.embeddingFor(md), true
		case r.body.stream:
			return a.streamFor(r.framing(), r.body.usage), true
		}
		return a.plainFor(md), true
	case routeModels:
		if r.method != methodGet && r.method != methodHead {
			return wantGet.answer[md], false
		}
		return cs.models[md], false
	}
	return unknownRoute.answer[md], false
}

// answers finds the answers for a model's name, without a lock when it is the
// same as before.
func (c *conn) answers(cs *compiled, model []byte) *answers {
	a := c.last
	if a == nil || a.cs != cs || string(model) != a.model {
		a = cs.answersFor(model)
		c.last = a
	}
	return a
}

// fillSlots copies the message and fills in the counts of this request.
func (c *conn) fillSlots(m *message, prompt int) []byte {
	c.scratch = append(c.scratch[:0], m.wire...)
	// Slots alternate: prompt_tokens, total_tokens.
	for i, at := range m.slots {
		n := prompt
		if i%2 == 1 {
			n += m.output
		}
		slot := c.scratch[at : at+slotWidth]
		for j := range slot {
			slot[j] = ' '
		}
		var digits [20]byte
		d := strconv.AppendInt(digits[:0], int64(n), 10)
		copy(slot[slotWidth-len(d):], d)
	}
	return c.scratch
}
