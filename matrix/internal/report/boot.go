package report

import (
	"github.com/tollgate-lab/tollgate/results"
)

func bootNs(s *results.Section) (float64, bool) {
	if s.Boot == nil {
		return 0, false
	}
	return float64(s.Boot.HealthzNs), true
}

// perWorker is what one more worker adds to the start, in ns: the difference
// to the series with the fewest workers, by worker. It reports false for that
// series itself.
func perWorker(all []*results.SectionSeries, s *results.SectionSeries) (results.Delta, int, bool) {
	var least *results.SectionSeries
	for _, o := range all {
		if len(o.Records) > 0 && (least == nil || o.Cell.Workers < least.Cell.Workers) {
			least = o
		}
	}
	if least == nil || s.Cell.Workers <= least.Cell.Workers {
		return results.Delta{}, 0, false
	}
	return results.Delta{From: least.Spread(bootNs), To: s.Spread(bootNs)}, s.Cell.Workers - least.Cell.Workers, true
}

// bootText is the time from process start to the first 200 of /healthz.
func bootText(v *view) (*text, error) {
	t := new(text)
	t.minorList(v.conditions())
	by := varying(cellsOf(nil, v.without), axisWorkers)
	tb := &table{columns: append(keyColumns(by)[:len(by)],
		column{title: "ms to /healthz"},
		column{title: "ms per further worker"},
		column{title: "processes"},
		column{title: "starts"},
	)}
	for _, s := range v.without {
		if len(s.Records) == 0 {
			continue
		}
		var row []string
		for _, a := range by {
			row = append(row, a.of(&s.Cell))
		}
		each := none
		if d, n, ok := perWorker(v.without, s); ok {
			// A share of a difference stands where the difference does.
			each = medianShift(d).by(n, toMs)
		}
		var processes ranged
		for _, r := range s.Records {
			if r.Boot != nil && r.Boot.Processes > 0 {
				processes.add(int64(r.Boot.Processes))
			}
		}
		counted := none
		if processes.seen {
			counted = processes.String()
		}
		row = append(row, spreadText(s.Spread(bootNs), toMs), each, counted, number(len(s.Records)))
		if err := tb.add(s.Cell.Shape, row...); err != nil {
			return nil, err
		}
	}
	t.show("", tb)
	t.list(v.notes())
	return t, nil
}
