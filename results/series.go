package results

import (
	"slices"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// Series is the repetitions of one cell that stand, in order of block and
// repetition. It remembers what it decoded: use it from one goroutine, and
// change none of its fields.
type Series struct {
	Cell    contract.Cell
	Reps    []*Repetition
	Skipped *Skipped // why the cell, or where Reps is not empty some repetition of it, did not run
	// Superseded is the number of noisy attempts that were run again.
	Superseded int

	distributions map[string]*distributions
}

// SeriesOf groups the repetitions of a section by cell, sorted by the numbers
// in the cells: the order in the file is random. Of several attempts at one repetition the first that is
// not noisy stands, else the last.
func SeriesOf(run *Run, section string) []*Series {
	var out []*Series
	byKey := make(map[string]*Series)
	for i := range run.Repetitions {
		r := &run.Repetitions[i]
		if r.Cell.Section != section {
			continue
		}
		key := r.Cell.Key()
		s := byKey[key]
		if s == nil {
			s = &Series{Cell: r.Cell}
			byKey[key] = s
			out = append(out, s)
		}
		if r.Skipped != nil {
			s.Skipped = r.Skipped
			continue
		}
		s.add(r)
	}
	for _, s := range out {
		slices.SortStableFunc(s.Reps, func(a, b *Repetition) int {
			if a.Block != b.Block {
				return a.Block - b.Block
			}
			return a.Rep - b.Rep
		})
	}
	slices.SortStableFunc(out, func(a, b *Series) int { return compareCells(&a.Cell, &b.Cell) })
	return out
}

func (s *Series) add(r *Repetition) {
	for i, old := range s.Reps {
		if old.Block != r.Block || old.Rep != r.Rep {
			continue
		}
		s.Superseded++
		first, second := old, r
		if first.Attempt > second.Attempt {
			first, second = second, first
		}
		if first.Marked(MarkNoisy) {
			s.Reps[i] = second
		} else {
			s.Reps[i] = first
		}
		return
	}
	s.Reps = append(s.Reps, r)
}

// Marked reports whether r carries mark.
func (r *Repetition) Marked(mark string) bool { return slices.Contains(r.Marks, mark) }

// Marks counts the marks of the repetitions that stand.
func (s *Series) Marks() map[string]int {
	m := make(map[string]int)
	for _, r := range s.Reps {
		for _, mark := range r.Marks {
			m[mark]++
		}
	}
	return m
}

// Values is what f says of each repetition, without those it says nothing of.
func (s *Series) Values(f func(*Repetition) (float64, bool)) []float64 {
	var out []float64
	for _, r := range s.Reps {
		if v, ok := f(r); ok {
			out = append(out, v)
		}
	}
	return out
}

// Spread summarises what f says of each repetition.
func (s *Series) Spread(f func(*Repetition) (float64, bool)) Spread { return SpreadOf(s.Values(f)) }

// Counts is the sum over outcomes of all repetitions that stand.
func (s *Series) Counts() (c contract.Counts) {
	for _, r := range s.Reps {
		c.Add(r.Counts())
	}
	return c
}

// Counts is the outcomes as counters. Unknown names were refused on reading.
func (r *Repetition) Counts() (c contract.Counts) {
	for name, n := range r.Outcomes {
		if o, ok := contract.ParseOutcome(name); ok {
			c[o] += n
		}
	}
	return c
}

// Sent is the number of measured requests that were sent: the denominator of
// CPU per request.
func (r *Repetition) Sent() int64 {
	c := r.Counts()
	return c.Total() - c[contract.Unsent]
}

// CPUMicrosPerRequest is u's CPU time per request sent, in microseconds.
func (r *Repetition) CPUMicrosPerRequest(u *Usage) (float64, bool) {
	n := r.Sent()
	if u == nil || n == 0 {
		return 0, false
	}
	return float64(u.CPUNs) / 1e3 / float64(n), true
}
