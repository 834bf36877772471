package lint

import (
	"cmp"
	"slices"
)

// point is one statistic of a distribution, in a row.
type point struct {
	column int
	stat   Stat
	p      float64 // 0 for the minimum, 100 for the maximum
	q      Quantity
}

// distribution is the percentiles of one distribution in a row, rising by p,
// and its mean.
type distribution struct {
	points []point
	mean   *point
}

// groups lists the distributions of a row.
func (t *Table) groups(kinds ...Kind) (out []string) {
	for _, i := range t.Is(kinds...) {
		if c := &t.Columns[i]; c.Stat != Figure && !slices.Contains(out, c.Group) {
			out = append(out, c.Group)
		}
	}
	return out
}

// distribution reads the columns of kind whose group it is. Columns of another
// dimension than the first are left out.
func (r *Row) distribution(group string, kind Kind) (d distribution) {
	var dim *Dimension
	for _, i := range r.table.Is(kind) {
		c := &r.table.Columns[i]
		if c.Stat == Figure || c.Group != group {
			continue
		}
		q, ok := r.Figure(i)
		if !ok || q.Value < 0 {
			continue
		}
		if dim == nil {
			dim = &q.Dim
		}
		if q.Dim != *dim {
			continue
		}
		p := point{i, c.Stat, c.P, q}
		switch c.Stat {
		case Mean:
			d.mean = &p
			continue
		case Max:
			p.p = 100
		}
		d.points = append(d.points, p)
	}
	slices.SortStableFunc(d.points, func(a, b point) int { return cmp.Compare(a.p, b.p) })
	return d
}

// leastMean is the least mean that the percentiles allow: a share of 1−q lies
// at or above percentile q, and nothing below zero.
func (d distribution) leastMean() (mean float64, column int, ok bool) {
	column = -1
	for _, p := range d.points {
		if p.stat != Percentile {
			continue
		}
		if m := (1 - p.p/100) * p.q.LeastRun(); column < 0 || m > mean {
			mean, column = m, p.column
		}
	}
	return mean, column, column >= 0
}

// mostMean is the greatest mean that they allow, each share at its upper end;
// it takes a maximum.
func (d distribution) mostMean() (mean float64, column int, ok bool) {
	if len(d.points) == 0 || d.points[len(d.points)-1].stat != Max {
		return 0, 0, false
	}
	below := 0.0
	for _, p := range d.points {
		mean += (p.p/100 - below) * p.q.MostRun()
		below = p.p / 100
	}
	return mean, d.points[len(d.points)-1].column, true
}
