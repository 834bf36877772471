package lint

import (
	"fmt"
	"regexp"
)

const ruleScaling = "concurrent-below-sequential"

var (
	sequentialName = regexp.MustCompile(`(?i)\b(sequential|serial|one at a time|single[- ]threaded|1 thread|one thread)\b`)
	concurrentName = regexp.MustCompile(`(?i)\b(concurrent|concurrency|parallel|multi-?threaded|8-core|in parallel)\b`)
	scalingClaim   = regexp.MustCompile(`(?i)\b(scal(es|ing|ability|able)|improve(s|d|ment)?|speed-?up|faster)\b`)
)

// racing is a sequential figure beside its concurrent counterpart.
type racing struct {
	seq, conc     *Row
	seqAt, concAt int
	seqQ, concQ   Quantity
}

// scalingTables: doing it at once cannot be called scaling where it gets
// less done than doing it in turn. The figures alone are no contradiction; a
// lock can do that. The claim makes it one.
func scalingTables(d *Document) (out []Finding) {
	for _, p := range d.racings() {
		if p.concQ.MostRun() >= p.seqQ.LeastRun() {
			continue
		}
		claim, ok := scalingSaid(p)
		if !ok {
			continue
		}
		f := p.conc.finding(ruleScaling, p.concAt)
		f.Read = fmt.Sprintf("%s: %s; %s: %s; said of it: %q", p.seq.Name(), p.seq.Cells[p.seqAt].Text, p.conc.Name(), p.conc.Cells[p.concAt].Text, claim)
		f.Why = fmt.Sprintf("the concurrent figure is %s times the sequential one", short(p.concQ.Value/p.seqQ.Value))
		f.Fits = fmt.Sprintf("more than %s, or no claim of scaling", inUnit(p.seqQ.Dim, p.seqQ.Value))
		out = append(out, f)
	}
	return out
}

// scalingSaid finds the claim: in the row, or in the prose of its section.
func scalingSaid(p racing) (string, bool) {
	for _, c := range p.conc.Cells {
		if scalingClaim.MatchString(c.Text) {
			return c.Text, true
		}
	}
	for _, s := range p.conc.table.Section.sentences() {
		if scalingClaim.MatchString(s.text) && (concurrentName.MatchString(s.text) || concurrentName.MatchString(p.conc.table.Section.Heading)) {
			return s.text, true
		}
	}
	return "", false
}

// racings finds pairs of rows: in one table, or in two tables whose titles
// say which is which and whose rows carry the same count.
func (d *Document) racings() (out []racing) {
	var seq, conc []*Table
	for _, s := range d.Sections {
		for _, t := range s.Tables {
			out = append(out, t.racings()...)
			name := t.Title + " " + s.Heading
			switch a, b := sequentialName.MatchString(name), concurrentName.MatchString(name); {
			case a && !b:
				seq = append(seq, t)
			case b && !a:
				conc = append(conc, t)
			}
		}
	}
	if len(seq) != 1 || len(conc) != 1 {
		return out
	}
	for i := range conc[0].Rows {
		for j := range seq[0].Rows {
			c, s := &conc[0].Rows[i], &seq[0].Rows[j]
			if c.Name() != "" && c.Name() == s.Name() {
				if p, ok := race(s, c); ok {
					out = append(out, p)
				}
			}
		}
	}
	return out
}

func (t *Table) racings() (out []racing) {
	find := func(is, not *regexp.Regexp) *Row {
		var found *Row
		for i := range t.Rows {
			name := t.Rows[i].Name()
			if is.MatchString(name) && !not.MatchString(name) {
				if found != nil {
					return nil
				}
				found = &t.Rows[i]
			}
		}
		return found
	}
	s, c := find(sequentialName, concurrentName), find(concurrentName, sequentialName)
	if s == nil || c == nil {
		return nil
	}
	if p, ok := race(s, c); ok {
		out = append(out, p)
	}
	return out
}

// race compares the two rows' throughput: the only column of it, or the only
// cell with that unit.
func race(s, c *Row) (racing, bool) {
	at := func(r *Row) (int, Quantity, bool) {
		if i, ok := r.table.only(Rate); ok {
			q, ok := r.of(i, PerSecond)
			return i, q, ok && q.Value > 0
		}
		found, fq := -1, Quantity{}
		for i, col := range r.table.Columns {
			if q, ok := r.of(i, PerSecond); ok && q.Value > 0 && !col.Key {
				if found >= 0 {
					return 0, q, false
				}
				found, fq = i, q
			}
		}
		return found, fq, found >= 0
	}
	i, a, ok := at(s)
	j, b, ok2 := at(c)
	return racing{s, c, i, j, a, b}, ok && ok2
}
