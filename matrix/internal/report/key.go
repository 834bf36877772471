package report

import (
	"fmt"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// keyConc is the concurrency at which the key results quote tolls, where it
// was measured.
const keyConc = 50

// keyText is the few figures that a hurried reader needs.
func keyText(in *data) (*text, error) {
	var items []string
	for _, name := range []string{"concurrency-external", "concurrency-inprocess"} {
		v, ok := in.view(name)
		if !ok {
			continue
		}
		more, err := throughputKeys(v)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
		if len(more) > 0 {
			// One shape is quoted: the outer one where both were measured.
			break
		}
	}
	if v, ok := in.view("staged"); ok {
		more, err := stagedFindings(v)
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	if v, ok := in.view("workers"); ok {
		items = append(items, workerFindings(v)...)
	}
	if v, ok := in.view("boot"); ok {
		items = append(items, bootFindings(v)...)
	}
	if failed := in.failureFindings(); len(failed) > 0 {
		items = append(items, failed[0])
	}
	t := new(text)
	if len(items) == 0 {
		t.say("Nothing is published yet.")
	}
	t.list(items)
	return t, nil
}

// throughputKeys quotes the tolls, then the peak with what it cost.
func throughputKeys(v *view) ([]string, error) {
	c := concCurve(v)
	top, _ := c.peak()
	if top == nil {
		return nil, nil
	}
	tolls, err := tollKeys(v, top)
	if err != nil {
		return nil, err
	}
	top = unbound(top)
	p, err := quantileTexts(top, results.ServiceTime, toMs, 50, 99)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("**Throughput** (%s, %s, streamed %s): %s req/s at %d in flight, p50 %s, p99 %s",
		shapeOf(v), orNone(string(top.Cell.Profile)), shareText(top.Cell.StreamEvery),
		spreadText(top.Spread(comparable), asItIs), top.Cell.Conc, withUnit(p[0], "ms"), withUnit(p[1], "ms"))
	if cpu := top.Spread(cpuPerRequest(gatewayUsage)); cpu.N > 0 {
		text += fmt.Sprintf("; the gateway uses %s CPU-µs per request", spreadText(cpu, asItIs))
	}
	if floor := v.floorOf(top); floor != nil {
		text += fmt.Sprintf("; the floor (no gateway) is %s req/s", spreadText(floor.Spread(perSecond), asItIs))
	}
	return append(tolls, text), nil
}

// tollKeys quotes the toll of a request alone, then the one at keyConc, or at
// the peak where that was not measured.
func tollKeys(v *view, top *results.Series) ([]string, error) {
	at := func(conc int) *results.Series {
		return v.find(func(c *contract.Cell) bool { return !isFloor(c) && c.Conc == conc })
	}
	alone, busy := at(1), at(keyConc)
	if busy == nil && top != alone {
		busy = top
	}
	var out []string
	for _, s := range []*results.Series{alone, busy} {
		if s == nil {
			continue
		}
		toll, err := quantileTexts(s, results.Toll, toUs, 50, 99)
		if err != nil {
			return nil, err
		}
		if toll[0] == none {
			continue
		}
		what := ""
		if l, ok := littleOf(v, s); ok && l.alone && 2*l.waiting > l.inFlight {
			what = "mostly queueing, "
		}
		text := fmt.Sprintf("**Toll at %d in flight**, %sjoined request by request (%s, streamed %s): p50 %s, p99 %s",
			s.Cell.Conc, what, shapeOf(v), shareText(s.Cell.StreamEvery), withUnit(toll[0], "µs"), withUnit(toll[1], "µs"))
		if floor := v.floorOf(s); floor != nil {
			under, err := quantileTexts(floor, results.Toll, toUs, 50, 99)
			if err != nil {
				return nil, err
			}
			text += fmt.Sprintf("; the floor's own toll, which is rig and scheduling: p50 %s, p99 %s", withUnit(under[0], "µs"), withUnit(under[1], "µs"))
		}
		out = append(out, text)
	}
	return out, nil
}
