package lint

import "fmt"

const rulePercentiles = "percentiles-rise"

// percentileTables: p50 ≤ p90 ≤ p99 ≤ max of one distribution, and a mean that
// they allow. A spread does not help: the order holds in each repetition.
func percentileTables(d *Document) []Finding {
	return d.eachRow(func(t *Table, r *Row) (out []Finding) {
		for _, kind := range []Kind{Latency, Toll} {
			for _, g := range t.groups(kind) {
				dist := r.distribution(g, kind)
				out = append(out, rising(r, dist)...)
				out = append(out, plausibleMean(r, dist)...)
			}
		}
		return out
	})
}

func rising(r *Row, d distribution) (out []Finding) {
	for i := 1; i < len(d.points); i++ {
		a, b := d.points[i-1], d.points[i]
		if a.p == b.p || a.q.Lo() <= b.q.Hi() {
			continue
		}
		f := r.finding(rulePercentiles, b.column)
		f.Read = r.read(a.column, b.column)
		f.Why = fmt.Sprintf("the lower percentile is %s, the higher one %s", inUnit(a.q.Dim, a.q.Value), inUnit(b.q.Dim, b.q.Value))
		f.Fits = fmt.Sprintf("%s of at least %s", r.table.Columns[b.column].Name, inUnit(a.q.Dim, a.q.Value))
		out = append(out, f)
	}
	return out
}

func plausibleMean(r *Row, d distribution) []Finding {
	if d.mean == nil {
		return nil
	}
	m := d.mean.q
	f := r.finding(rulePercentiles, d.mean.column)
	low, lowAt, hasLow := d.leastMean()
	high, highAt, hasHigh := d.mostMean()
	switch {
	case hasLow && m.MostRun()*(1+Tolerance) < low:
		f.Read = r.read(d.mean.column, lowAt)
		f.Why = fmt.Sprintf("so many requests lie at or above that percentile that the mean cannot be below %s", inUnit(m.Dim, low))
		f.Fits = "a mean of at least " + inUnit(m.Dim, low)
	case hasHigh && m.LeastRun()*(1-Tolerance) > high:
		f.Read = r.read(d.mean.column, highAt)
		f.Why = fmt.Sprintf("with every request at the upper end of its percentile the mean would be %s", inUnit(m.Dim, high))
		f.Fits = "a mean of at most " + inUnit(m.Dim, high)
	default:
		return nil
	}
	return []Finding{f}
}
