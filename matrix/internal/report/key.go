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

// throughputKeys quotes the peak with what it cost, and the toll.
func throughputKeys(v *view) ([]string, error) {
	c := concCurve(v)
	top, _ := c.peak()
	if top == nil {
		return nil, nil
	}
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
	items := []string{text}

	at := v.find(func(c *contract.Cell) bool { return !isFloor(c) && c.Conc == keyConc })
	if at == nil {
		at = top
	}
	toll, err := quantileTexts(at, results.Toll, toUs, 50, 99)
	if err != nil {
		return nil, err
	}
	if toll[0] == none {
		return items, nil
	}
	text = fmt.Sprintf("**Toll**, joined request by request (%s, %d in flight): p50 %s, p99 %s",
		shapeOf(v), at.Cell.Conc, withUnit(toll[0], "µs"), withUnit(toll[1], "µs"))
	if floor := v.floorOf(at); floor != nil {
		under, err := quantileTexts(floor, results.Toll, toUs, 50, 99)
		if err != nil {
			return nil, err
		}
		text += fmt.Sprintf("; the floor's own toll, which is rig and scheduling: p50 %s, p99 %s", withUnit(under[0], "µs"), withUnit(under[1], "µs"))
	}
	return append(items, text), nil
}
