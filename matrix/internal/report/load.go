package report

import (
	"math"
	"slices"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// loadText is a section of load cells: throughput with what it cost, then
// latency with the toll, for each shape. first are the axes that the section
// is about.
func loadText(v *view, first ...axis) (*text, error) {
	t, err := loadTables(v, first...)
	if err != nil {
		return nil, err
	}
	t.list(v.notes())
	return t, nil
}

// loadTables is loadText without the notes that close it.
func loadTables(v *view, first ...axis) (*text, error) {
	t := new(text)
	t.minorList(v.conditions())
	for _, group := range shapesOf(v.load, func(s *results.Series) *contract.Cell { return &s.Cell }) {
		by := varying(cellsOf(group, nil), first...)
		cost, err := costTable(group, by)
		if err != nil {
			return nil, err
		}
		t.show("Throughput and what it costs", cost)
		latency, err := latencyTable(v, group, by)
		if err != nil {
			return nil, err
		}
		t.show("Latency and toll", latency)
	}
	return t, nil
}

func keyColumns(by []axis) []column {
	var out []column
	for _, a := range by {
		out = append(out, column{title: a.title, words: a.words})
	}
	return append(out, column{title: "target", words: true})
}

func keyCells(c *contract.Cell, by []axis) []string {
	var out []string
	for _, a := range by {
		out = append(out, a.of(c))
	}
	return append(out, targetText(c))
}

func costTable(group []*results.Series, by []axis) (*table, error) {
	var sizes ranged
	for _, s := range group {
		if len(s.Reps) > 0 {
			sizes.add(int64(s.Cell.Requests))
		}
	}
	t := &table{columns: append(keyColumns(by),
		column{title: "body bytes"},
		column{title: "requests", wide: true},
		column{title: "req/s"},
		column{title: "gateway CPU-µs/req"},
		column{title: "generator CPU-µs/req", wide: true},
		column{title: "mock CPU-µs/req", wide: true},
		column{title: "PostgreSQL CPU-µs/req", wide: true},
		column{title: "CPU-µs/req, all in one process"},
		column{title: "cores busy", wide: true},
		column{title: "peak RSS MiB", wide: true},
		column{title: "processes"},
		column{title: "failed"},
		column{title: "rejected"},
		column{title: "audit", words: true},
		column{title: "marks", words: true},
	)}
	for _, s := range group {
		row := keyCells(&s.Cell, by)
		if len(s.Reps) == 0 {
			row = append(row, none, none, "skipped")
			for len(row) < len(t.columns) {
				row = append(row, none)
			}
		} else {
			counts := s.Counts()
			rss := gatewayUsage
			if s.Reps[0].Resources.Process != nil {
				rss = processUsage
			}
			row = append(row,
				sizeOfBody(s, by),
				sizes.text(int64(s.Cell.Requests)),
				spreadText(s.Spread(perSecond), asItIs),
				spreadText(s.Spread(cpuPerRequest(gatewayUsage)), asItIs),
				spreadText(s.Spread(cpuPerRequest(generatorUsage)), asItIs),
				spreadText(s.Spread(cpuPerRequest(mockUsage)), asItIs),
				spreadText(s.Spread(cpuPerRequest(postgresUsage)), asItIs),
				spreadText(s.Spread(cpuPerRequest(processUsage)), asItIs),
				spreadText(s.Spread(coresBusy), asItIs),
				spreadText(s.Spread(peakRSS(rss)), toMiB),
				processesText(s),
				integer(counts.Failures()),
				integer(counts[contract.Rejected]),
				auditText(s),
				marksText(s),
			)
		}
		if err := t.add(s.Cell.Shape, row...); err != nil {
			return nil, err
		}
	}
	t.prune(len(by) + 1)
	return t, nil
}

// sizeOfBody is said where bodies are what differs.
func sizeOfBody(s *results.Series, by []axis) string {
	if !slices.ContainsFunc(by, func(a axis) bool { return a.title == axisBody.title }) {
		return none
	}
	return bodyBytesText(s)
}

func latencyTable(v *view, group []*results.Series, by []axis) (*table, error) {
	t := &table{columns: append(keyColumns(by),
		column{title: "body bytes", wide: true},
		column{title: "p50 ms"},
		column{title: "p95 ms"},
		column{title: "p99 ms"},
		column{title: "max ms", wide: true},
		column{title: "TTFT p50 ms", wide: true},
		column{title: togetherTitle, wide: true},
		column{title: "toll p50 µs"},
		column{title: "floor's", wide: true},
		column{title: "toll p99 µs"},
		column{title: "floor's", wide: true},
		column{title: "req/s × mean", wide: true},
		column{title: "waiting", wide: true},
	)}
	for _, s := range group {
		if len(s.Reps) == 0 {
			continue
		}
		row := keyCells(&s.Cell, by)
		service, err := quantileTexts(s, results.ServiceTime, toMs, 50, 95, 99)
		if err != nil {
			return nil, err
		}
		row = append(append(row, sizeOfBody(s, by)), service...)
		row = append(row, maxText(s))
		ttft, err := quantileTexts(s, results.TTFT, toMs, 50)
		if err != nil {
			return nil, err
		}
		row = append(append(row, ttft...), spreadText(s.Spread(framesTogether), toPercent))
		toll, err := quantileTexts(s, results.Toll, toUs, 50, 99)
		if err != nil {
			return nil, err
		}
		under := []string{none, none}
		if floor := v.floorOf(s); floor != nil && !isFloor(&s.Cell) {
			if under, err = quantileTexts(floor, results.Toll, toUs, 50, 99); err != nil {
				return nil, err
			}
		}
		row = append(row, toll[0], under[0], toll[1], under[1])
		row = append(row, littleText(v, s)...)
		if err := t.add(s.Cell.Shape, row...); err != nil {
			return nil, err
		}
	}
	t.prune(len(by) + 1)
	return t, nil
}

// quantileTexts always has one text per percentile.
func quantileTexts(s *results.Series, name string, unit scale, ps ...float64) ([]string, error) {
	qs, err := s.Quantiles(name, ps...)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(ps))
	for i := range ps {
		out[i] = none
		if qs != nil {
			out[i] = quantileText(qs[i], unit)
		}
	}
	return out, nil
}

// maxText is the largest service time of all repetitions: no percentile, so
// it always stands, and has no spread.
func maxText(s *results.Series) string {
	d, _, err := s.Distributions(results.ServiceTime)
	if err != nil || d == nil {
		return none
	}
	return toMs.of(float64(d.MaxNs))
}

// little is Little's law on a closed loop: the mean number in flight as
// throughput × mean service time, and how many of them wait, when a request
// alone (one in flight, same cell) is taken not to.
type little struct {
	inFlight float64
	waiting  float64
	alone    bool // waiting is known
	waitNs   float64
}

func littleOf(v *view, s *results.Series) (little, bool) {
	_, each, err := s.Distributions(results.ServiceTime)
	if err != nil || s.Cell.Conc == 0 || s.Cell.RatePerS != 0 {
		return little{}, false
	}
	// Per repetition: the medians of two figures need not be of one.
	var inFlight []float64
	for i, d := range each {
		if d != nil {
			inFlight = append(inFlight, s.Reps[i].RequestsPerS*d.MeanNs/1e9)
		}
	}
	if len(inFlight) == 0 {
		return little{}, false
	}
	out := little{inFlight: results.SpreadOf(inFlight).Median}
	alone := v.twin(s, func(c *contract.Cell) { c.Conc = 0 }, func(c *contract.Cell) bool { return c.Conc == 1 })
	if alone == nil {
		return out, true
	}
	if w1 := meanNs(alone); w1.N > 0 {
		out.alone = true
		out.waitNs = max(meanNs(s).Median-w1.Median, 0)
		out.waiting = s.Spread(perSecond).Median * out.waitNs / 1e9
	}
	return out, true
}

// meanNs is the mean service time of each repetition.
func meanNs(s *results.Series) results.Spread {
	var means []float64
	_, each, err := s.Distributions(results.ServiceTime)
	if err != nil {
		return results.Spread{}
	}
	for _, d := range each {
		if d != nil {
			means = append(means, d.MeanNs)
		}
	}
	return results.SpreadOf(means)
}

// littleTolerance is how far throughput × mean service time may lie from the
// number in flight before the figures contradict each other.
const littleTolerance = 0.05

func littleText(v *view, s *results.Series) []string {
	l, ok := littleOf(v, s)
	if !ok {
		return []string{none, none}
	}
	in := significant(l.inFlight)
	if math.Abs(l.inFlight/float64(s.Cell.Conc)-1) > littleTolerance {
		in += " (≠ " + number(s.Cell.Conc) + ")"
	}
	if !l.alone || s.Cell.Conc == 1 {
		return []string{in, none}
	}
	return []string{in, significant(l.waiting)}
}
