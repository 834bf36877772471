package report

import (
	"fmt"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// pairing is a section that sets cells against their twin.
type pairing struct {
	heading  string
	from, to string // what the two sides are called in columns
	clear    func(*contract.Cell)
	isFrom   func(*contract.Cell) bool
	isTo     func(*contract.Cell) bool
}

var streamPairing = pairing{
	heading: "What streaming costs", from: "never", to: "streamed",
	clear: func(c *contract.Cell) { c.StreamEvery, c.Frames, c.Coalesce = 0, 0, false },
	// The pair of a share is the same load without any stream.
	isFrom: func(c *contract.Cell) bool { return c.StreamEvery == 0 },
	isTo:   func(c *contract.Cell) bool { return c.StreamEvery != 0 },
}

var logPairing = pairing{
	heading: "What the log store costs", from: "off", to: "on",
	clear:  func(c *contract.Cell) { c.LogStore, c.Durability = "", "" },
	isFrom: logOff,
	isTo:   func(c *contract.Cell) bool { return !logOff(c) },
}

func logOff(c *contract.Cell) bool { return c.LogStore == "" || c.LogStore == "off" }

// matched is one pair of the same load, without the repetitions whose
// throughput the generator or the mock bounded.
type matched struct {
	from, to *results.Series
	all      [2]*results.Series // from and to with them
}

// leftOut says how many repetitions of either side were bounded.
func (m matched) leftOut(p *pairing) string {
	var out []string
	for i, side := range []struct {
		name string
		kept *results.Series
	}{{p.from, m.from}, {p.to, m.to}} {
		if n := len(m.all[i].Reps); len(side.kept.Reps) < n {
			out = append(out, fmt.Sprintf("%d of %d %s", n-len(side.kept.Reps), n, side.name))
		}
	}
	if len(out) == 0 {
		return none
	}
	return strings.Join(out, ", ")
}

func (p *pairing) pairs(v *view) []matched {
	var out []matched
	for _, to := range v.measured(false) {
		if !p.isTo(&to.Cell) {
			continue
		}
		from := v.twin(to, p.clear, func(c *contract.Cell) bool { return p.isFrom(c) && c.Shape == to.Cell.Shape })
		if from != nil {
			out = append(out, matched{from: unbound(from), to: unbound(to), all: [2]*results.Series{from, to}})
		}
	}
	return out
}

// throughput is the change in requests per second.
func (m matched) throughput() results.Delta {
	return results.Delta{From: m.from.Spread(comparable), To: m.to.Spread(comparable)}
}

// cpu is the change in CPU-µs per request.
func (m matched) cpu() results.Delta {
	return results.Delta{From: cpuOf(m.from), To: cpuOf(m.to)}
}

// pairText is a section of load cells with a table of pairs for each shape.
func pairText(v *view, p *pairing, first ...axis) (*text, error) {
	t, err := loadTables(v, first...)
	if err != nil {
		return nil, err
	}
	for _, group := range shapesOf(p.pairs(v), func(m matched) *contract.Cell { return &m.to.Cell }) {
		var cells []*contract.Cell
		for _, m := range group {
			cells = append(cells, &m.to.Cell)
		}
		tb, err := p.table(group, varying(cells, first...))
		if err != nil {
			return nil, err
		}
		t.show(p.heading, tb)
	}
	t.list(v.notes())
	return t, nil
}

func (p *pairing) table(group []matched, by []axis) (*table, error) {
	var key []column
	for _, a := range by {
		key = append(key, column{title: a.title, words: a.words})
	}
	t := &table{columns: append(key,
		column{title: "req/s " + p.from},
		column{title: "req/s " + p.to},
		column{title: "change"},
		column{title: "CPU-µs/req " + p.from, wide: true},
		column{title: "CPU-µs/req " + p.to, wide: true},
		column{title: "change of CPU"},
		column{title: "p50 ms " + p.from},
		column{title: "p50 ms " + p.to},
		column{title: "repetitions left out", words: true},
	)}
	for _, m := range group {
		var row []string
		for _, a := range by {
			row = append(row, a.of(&m.to.Cell))
		}
		from, err := quantileTexts(m.from, results.ServiceTime, toMs, 50)
		if err != nil {
			return nil, err
		}
		to, err := quantileTexts(m.to, results.ServiceTime, toMs, 50)
		if err != nil {
			return nil, err
		}
		x, cpu := m.throughput(), m.cpu()
		row = append(row,
			spreadText(m.from.Spread(perSecond), asItIs), spreadText(m.to.Spread(perSecond), asItIs), relativeDelta(x),
			spreadText(cpu.From, asItIs), spreadText(cpu.To, asItIs), relativeDelta(cpu),
			from[0], to[0], m.leftOut(p))
		if err := t.add(m.to.Cell.Shape, row...); err != nil {
			return nil, err
		}
	}
	t.prune(len(by) + 8)
	return t, nil
}
