package results

import (
	"fmt"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Percentiles is every percentile that a Distribution keeps, ascending.
var Percentiles = [...]float64{50, 90, 95, 99, 99.9}

// Distribution is what reports need of one histogram. A decoded histogram
// takes a quarter of a megabyte, and a run holds thousands.
type Distribution struct {
	Samples int64
	MeanNs  float64
	MaxNs   int64
	at      [len(Percentiles)]int64 // ns
}

func distributionOf(h *hdrhistogram.Histogram) *Distribution {
	d := &Distribution{Samples: h.TotalCount(), MeanNs: h.Mean(), MaxNs: h.Max()}
	copy(d.at[:], h.ValueAtPercentilesSlice(Percentiles[:]))
	return d
}

// Percentile is percentile p of the distribution; p is one of Percentiles.
func (d *Distribution) Percentile(p float64) (Percentile, error) {
	i := slices.Index(Percentiles[:], p)
	if i < 0 {
		return Percentile{}, fmt.Errorf("percentile %g is none of %g", p, Percentiles)
	}
	return Percentile{P: p, ValueNs: d.at[i], Samples: d.Samples, Beyond: Beyond(d.Samples, p)}, nil
}

// distributions is one histogram of all repetitions.
type distributions struct {
	merged *Distribution
	each   []*Distribution
}

// mergeAll decodes texts once each. An empty text, or a histogram that holds
// nothing, has no distribution; merged is nil when none has one.
func mergeAll(texts []Histogram) (*distributions, error) {
	d := &distributions{each: make([]*Distribution, len(texts))}
	var sum *hdrhistogram.Histogram
	for i, t := range texts {
		if t == "" {
			continue
		}
		h, err := t.Decode()
		if err != nil {
			return nil, err
		}
		if h.TotalCount() == 0 {
			continue
		}
		d.each[i] = distributionOf(h)
		if sum == nil {
			sum = h
			continue
		}
		// Decode let through the lab's geometry only.
		if dropped := sum.Merge(h); dropped != 0 {
			return nil, fmt.Errorf("merge histograms: %d values out of range", dropped)
		}
	}
	if sum != nil {
		d.merged = distributionOf(sum)
	}
	return d, nil
}

// Distributions is the histogram called name: merged over the repetitions,
// and of each of Reps, nil where that repetition has none. merged is nil when
// no repetition has one.
func (s *Series) Distributions(name string) (merged *Distribution, each []*Distribution, err error) {
	d := s.distributions[name]
	if d == nil {
		texts := make([]Histogram, len(s.Reps))
		for i, r := range s.Reps {
			texts[i] = r.Histograms[name]
		}
		if d, err = mergeAll(texts); err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", s.Cell.Key(), name, err)
		}
		if s.distributions == nil {
			s.distributions = make(map[string]*distributions)
		}
		s.distributions[name] = d
	}
	return d.merged, d.each, nil
}

// Quantile is a percentile of the merged histogram with its spread over the
// repetitions, in nanoseconds.
type Quantile struct {
	Percentile
	Spread Spread
}

// Quantiles reads percentiles ps, each one of Percentiles, of the histograms
// called name. It is nil when no repetition has one.
func (s *Series) Quantiles(name string, ps ...float64) ([]Quantile, error) {
	merged, each, err := s.Distributions(name)
	if err != nil || merged == nil {
		return nil, err
	}
	return (&distributions{merged, each}).quantiles(ps)
}

func (d *distributions) quantiles(ps []float64) ([]Quantile, error) {
	out := make([]Quantile, len(ps))
	for i, p := range ps {
		whole, err := d.merged.Percentile(p)
		if err != nil {
			return nil, err
		}
		var values []float64
		for _, e := range d.each {
			if e != nil {
				one, err := e.Percentile(p)
				if err != nil {
					return nil, err
				}
				values = append(values, float64(one.ValueNs))
			}
		}
		out[i] = Quantile{Percentile: whole, Spread: SpreadOf(values)}
	}
	return out, nil
}
