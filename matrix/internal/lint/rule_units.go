package lint

import "fmt"

// unitTables: the unit in a heading is that of its cells, a share of requests
// is between none and all of them, and no part takes longer than the whole.
// Units that Little's law refutes are found with it.
func unitTables(d *Document) []Finding {
	return d.eachRow(func(t *Table, r *Row) (out []Finding) {
		for i, c := range t.Columns {
			q, ok := r.Figure(i)
			if !ok || c.Key {
				continue
			}
			switch {
			case c.unit.dim != Plain && q.Dim != c.unit.dim && !kin(q.Dim, c.unit.dim):
				f := r.finding(ruleUnits, i)
				f.Read = r.read(i)
				f.Why = fmt.Sprintf("the heading's unit is %s, the cell's is %s: they measure different things", c.Unit, q.Unit)
				f.Fits = "one unit, in the heading or in every cell"
				out = append(out, f)
			case c.Kind == Share && q.Dim == Percent && (q.Lo() > 100 || q.Hi() < 0):
				f := r.finding(ruleUnits, i)
				f.Read = r.read(i)
				f.Why = "a share of the requests is between none and all of them"
				f.Fits = "0 % to 100 %"
				out = append(out, f)
			}
		}
		return append(out, partBeyondWhole(t, r)...)
	})
}

// kin are dimensions that stand in for each other in a cell: a change in
// percent or a factor in a column of anything, CPU time for time.
func kin(cell, heading Dimension) bool {
	switch cell {
	case Percent, Ratio:
		return true
	case Time:
		return heading == CPUTime || heading == PerSecond // "3 s" of what was measured
	case Bytes:
		return heading == ByteRate
	case Tokens:
		return true
	}
	return false
}

// partBeyondWhole: the first frame does not come after the slowest answer.
func partBeyondWhole(t *Table, r *Row) (out []Finding) {
	whole := r.distribution("", Latency)
	if len(whole.points) == 0 {
		return nil
	}
	last := whole.points[len(whole.points)-1]
	if last.stat != Max || last.q.Dim != Time {
		return nil
	}
	for _, g := range t.groups(Latency) {
		if !containsAny(g, "ttft", "first byte", "first token", "first frame") {
			continue
		}
		for _, p := range r.distribution(g, Latency).points {
			if p.q.Dim != Time || p.q.Lo() <= last.q.Hi() {
				continue
			}
			f := r.finding(ruleUnits, p.column)
			f.Read = r.read(p.column, last.column)
			f.Why = "the first part of an answer comes before its end, and no answer took longer than the maximum"
			f.Fits = "at most " + seconds(last.q.Value)
			if _, ok := slip(p.q.Value/last.q.Value, 5); ok {
				f.Fits += "; the unit of one of them is likely mistaken"
			}
			out = append(out, f)
		}
	}
	return out
}
