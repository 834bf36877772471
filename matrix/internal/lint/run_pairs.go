package lint

import (
	"fmt"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// ratios are what f says of a against b, block by block. A block that was
// noisy on either side is left out.
func blockRatios(a, b *results.Series, f func(*results.Repetition) (float64, bool)) (out []float64) {
	for _, r := range a.Reps {
		o := blockOf(b, r)
		if o == nil || r.Marked(results.MarkNoisy) || o.Marked(results.MarkNoisy) {
			continue
		}
		x, okX := f(r)
		y, okY := f(o)
		if okX && okY && y > 0 {
			out = append(out, x/y)
		}
	}
	return out
}

// beyond reports whether ratios lie above one in every block, and by more than
// the tolerance in the median; below does the same for the other side.
func beyond(ratios []float64) (median float64, above, below bool) {
	s := results.SpreadOf(ratios)
	if s.N == 0 {
		return 0, false, false
	}
	return s.Median, s.Min > 1 && s.Median > 1+Tolerance, s.Max < 1 && s.Median < 1-Tolerance
}

// answered is throughput, where neither end was the limit.
func answered(r *results.Repetition) (float64, bool) {
	bound := r.Marked(results.MarkGeneratorBound) || r.Marked(results.MarkMockBound)
	return r.RequestsPerS, !bound && r.RequestsPerS > 0
}

// floorRun sets each cell beside the floor's under the same load.
func floorRun(v *runView) (out []Finding) {
	for _, s := range v.sections {
		for _, g := range s.series {
			if g.Cell.Target == results.TargetFloor {
				continue
			}
			for _, f := range s.series {
				if f.Cell.Target == results.TargetFloor && sameLoad(&g.Cell, &f.Cell) && len(g.Reps) > 0 && !joinedOrCached(g, f) {
					out = append(out, v.beside(g, f)...)
				}
			}
		}
	}
	return out
}

func (v *runView) beside(g, floor *results.Series) (out []Finding) {
	first := g.Reps[0]
	if median, above, _ := beyond(blockRatios(g, floor, answered)); above {
		f := v.finding(ruleFloor, first, "requests_per_s")
		f.Row = g.Cell.Key()
		f.Read = fmt.Sprintf("%s times the floor's throughput, in the median over the blocks, and above it in each", short(median))
		f.Why = "with a gateway in the way throughput cannot exceed that of the mock alone"
		f.Fits = "at most the floor's"
		out = append(out, f)
	}
	for _, p := range []float64{50, 99} {
		at := func(r *results.Repetition) (float64, bool) {
			d := v.distribution(r, results.ServiceTime)
			if d == nil {
				return 0, false
			}
			q, err := d.Percentile(p)
			return float64(q.ValueNs), err == nil && q.Stands()
		}
		median, _, below := beyond(blockRatios(g, floor, at))
		if !below {
			continue
		}
		f := v.finding(ruleFloor, first, fmt.Sprintf("%s p%g", results.ServiceTime, p))
		f.Row = g.Cell.Key()
		f.Read = fmt.Sprintf("%s of the floor's, in the median over the blocks, and below it in each", short(median))
		f.Why = "with a gateway in the way a request cannot take less than without"
		f.Fits = "at least the floor's"
		out = append(out, f)
	}
	return out
}

// joinedOrCached: frames that were joined on the way spare the client reads
// that it has on the floor, and an answer from a cache spares the mock.
func joinedOrCached(g, floor *results.Series) bool {
	share := func(s *results.Series) float64 {
		var frames, joined int64
		for _, r := range s.Reps {
			frames += r.ContentFrames
			joined += r.CoalescedFrames
		}
		return float64(joined) / float64(max(frames, 1))
	}
	if share(g) > share(floor) {
		return true
	}
	for _, r := range g.Reps {
		c := r.Counts()
		if r.Truth != nil && r.Truth.Received < c[contract.Answered]+r.WarmupOutcomes[contract.Answered.String()] {
			return true
		}
	}
	return false
}

// mixedRun sets a load of which every Nth request is streamed between the load
// of which none and that of which each is.
func mixedRun(v *runView) (out []Finding) {
	for _, s := range v.sections {
		for _, m := range s.series {
			if m.Cell.StreamEvery < 2 || len(m.Reps) == 0 {
				continue
			}
			no, yes := pureOf(s.series, m, 0), pureOf(s.series, m, 1)
			if no == nil || yes == nil {
				continue
			}
			a, aboveA, belowA := beyond(blockRatios(m, no, answered))
			b, aboveB, belowB := beyond(blockRatios(m, yes, answered))
			if !(aboveA && aboveB) && !(belowA && belowB) {
				continue
			}
			f := v.finding(ruleMixed, m.Reps[0], "requests_per_s")
			f.Row = m.Cell.Key()
			f.Read = fmt.Sprintf("%s times the throughput with no request streamed, %s times that with each streamed, in the median over the blocks", short(a), short(b))
			f.Why = "a mixture of two loads costs each request what it costs in one of them, so it lies between the two"
			f.Fits = "between the two"
			out = append(out, f)
		}
	}
	return out
}

func pureOf(all []*results.Series, m *results.Series, every int) *results.Series {
	want := m.Cell
	want.StreamEvery, want.Frames = every, 0
	for _, s := range all {
		have := s.Cell
		have.Frames = 0
		if have.Coalesce = want.Coalesce; have.Key() == want.Key() && len(s.Reps) > 0 {
			return s
		}
	}
	return nil
}
