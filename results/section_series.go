package results

import (
	"fmt"
	"slices"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// SectionSeries is the repetitions of one measurement without load.
type SectionSeries struct {
	Cell    contract.Cell
	Records []*Section // with Boot, Direct or Waterfall
	Skipped *Skipped   // why it, or where Records is not empty some repetition of it, did not run
}

// SectionSeriesOf groups the section records of a section by cell.
func SectionSeriesOf(run *Run, section string) []*SectionSeries {
	var out []*SectionSeries
	byKey := make(map[string]*SectionSeries)
	for i := range run.Sections {
		r := &run.Sections[i]
		if r.Cell.Section != section {
			continue
		}
		key := r.Cell.Key()
		s := byKey[key]
		if s == nil {
			s = &SectionSeries{Cell: r.Cell}
			byKey[key] = s
			out = append(out, s)
		}
		if r.Skipped != nil {
			s.Skipped = r.Skipped
			continue
		}
		s.Records = append(s.Records, r)
	}
	slices.SortStableFunc(out, func(a, b *SectionSeries) int { return compareCells(&a.Cell, &b.Cell) })
	return out
}

// Spread summarises what f says of each record.
func (s *SectionSeries) Spread(f func(*Section) (float64, bool)) Spread {
	var out []float64
	for _, r := range s.Records {
		if v, ok := f(r); ok {
			out = append(out, v)
		}
	}
	return SpreadOf(out)
}

// CallQuantiles reads percentiles ps, each one of Percentiles, of the direct
// calls: merged, with their spread over the repetitions. It is nil when there
// are none.
func (s *SectionSeries) CallQuantiles(ps ...float64) ([]Quantile, error) {
	texts := make([]Histogram, len(s.Records))
	for i, r := range s.Records {
		if r.Direct != nil {
			texts[i] = r.Direct.CallNs
		}
	}
	d, err := mergeAll(texts)
	if err != nil {
		return nil, fmt.Errorf("%s: direct calls: %w", s.Cell.Key(), err)
	}
	if d.merged == nil {
		return nil, nil
	}
	return d.quantiles(ps)
}
