package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// callers is how many call at once in a cell of shape direct.
func callers(c *contract.Cell) int { return max(c.Workers, 1) }

func directPerSecond(s *results.Section) (float64, bool) {
	if s.Direct == nil || s.Direct.WallNs <= 0 {
		return 0, false
	}
	return float64(s.Direct.Calls-s.Direct.Failures) * 1e9 / float64(s.Direct.WallNs), true
}

func directAllocs(s *results.Section) (float64, bool) {
	if s.Direct == nil {
		return 0, false
	}
	return s.Direct.AllocsPerOp, true
}

func directBytes(s *results.Section) (float64, bool) {
	if s.Direct == nil {
		return 0, false
	}
	return s.Direct.BytesPerOp, true
}

func directFailures(s *results.SectionSeries) (n int64) {
	for _, r := range s.Records {
		if r.Direct != nil {
			n += r.Direct.Failures
		}
	}
	return n
}

// speedup is how many times the throughput of one caller s has, taken block by
// block. It reports false where one caller was not measured.
func speedup(all []*results.SectionSeries, s *results.SectionSeries) (results.Spread, bool) {
	alone := s.Cell
	alone.Workers = 0
	at := slices.IndexFunc(all, func(o *results.SectionSeries) bool { return o.Cell.Key() == alone.Key() })
	if at < 0 {
		return results.Spread{}, false
	}
	byBlock := make(map[int]float64)
	for _, r := range all[at].Records {
		if v, ok := directPerSecond(r); ok {
			byBlock[r.Block] = v
		}
	}
	out := s.Spread(func(r *results.Section) (float64, bool) {
		v, ok := directPerSecond(r)
		if one := byBlock[r.Block]; ok && one > 0 {
			return v / one, true
		}
		return 0, false
	})
	return out, out.N > 0
}

// directText is the exchange called with no socket: one caller, then more.
func directText(v *view) (*text, error) {
	t := new(text)
	t.minorList(v.conditions())
	cores := max(v.run.Header.Fingerprint.GOMAXPROCS, 1)
	series := slices.Clone(v.without)
	slices.SortStableFunc(series, func(a, b *results.SectionSeries) int {
		return cmp.Or(
			cmp.Compare(a.Cell.StreamEvery, b.Cell.StreamEvery),
			cmp.Compare(results.BodyBytes(a.Cell.Body), results.BodyBytes(b.Cell.Body)),
			cmp.Compare(boolInt(a.Cell.Profile != contract.Bare), boolInt(b.Cell.Profile != contract.Bare)),
			cmp.Compare(callers(&a.Cell), callers(&b.Cell)),
		)
	})
	by := varying(cellsOf(nil, series), axisBody, axisProfile)
	by = slices.DeleteFunc(by, func(a axis) bool { return a.title == axisWorkers.title })
	columns := keyColumns(by)[:len(by)]
	tb := &table{columns: append(columns,
		column{title: "callers"},
		column{title: "p50 µs"},
		column{title: "p99 µs"},
		column{title: "calls/s"},
		column{title: "× one caller"},
		column{title: "efficiency"},
		column{title: "CPU-ns/call"},
		column{title: "allocations/call"},
		column{title: "bytes/call", wide: true},
		column{title: "failed"},
	)}
	for _, s := range series {
		qs, err := s.CallQuantiles(50, 99)
		if err != nil {
			return nil, err
		}
		if qs == nil {
			continue
		}
		times, efficiency := none, none
		if up, ok := speedup(series, s); ok && callers(&s.Cell) > 1 {
			times = ratioText(up)
			efficiency = percentText(up.Median / float64(min(callers(&s.Cell), cores)))
		}
		var row []string
		for _, a := range by {
			row = append(row, a.of(&s.Cell))
		}
		row = append(row,
			number(callers(&s.Cell)), quantileText(qs[0], toUs), quantileText(qs[1], toUs),
			spreadText(s.Spread(directPerSecond), asItIs), times, efficiency,
			spreadText(s.Spread(directCPU), 1e3),
			countText(s.Spread(directAllocs).Median), countText(s.Spread(directBytes).Median), integer(directFailures(s)),
		)
		if err := tb.add(s.Cell.Shape, row...); err != nil {
			return nil, err
		}
	}
	tb.prune(len(by) + 1)
	t.show("", tb)
	t.list(append([]string{
		fmt.Sprintf("*efficiency*: calls/s over those of one caller, divided by the number of callers, but by no more than the %s of this host", plural(cores, "core")),
		"Calls/s and CPU-ns hold what the measuring costs: two readings of the clock a call, and the copies of body and answer that stand for reading and writing. The log store's own CPU time is in CPU-ns",
	}, v.notes()...))
	return t, nil
}

// countText prints how many of something a call makes; what comes once in
// thousands of calls is none.
func countText(v float64) string {
	if v < 0.0005 && v > -0.0005 {
		return "0"
	}
	return significant(v)
}
