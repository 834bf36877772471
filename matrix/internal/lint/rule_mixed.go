package lint

import (
	"fmt"
	"regexp"
	"strings"
)

const ruleMixed = "mixed-outside-pure"

var (
	pureNo   = regexp.MustCompile(`(?i)^(never|none|no|off|false|0 ?%|0|not streamed|non-?streamed|non-?streaming|unstreamed|never streamed|plain)$`)
	pureYes  = regexp.MustCompile(`(?i)^(always|all|yes|on|true|100 ?%|streamed|streaming|always streamed|all streamed)$`)
	mixedIn  = regexp.MustCompile(`(?i)^(mixed|mix|some|half|1 in \d+.*|every \d+.*|\d+ ?%|\d+ ?/ ?\d+.*|mixed .*|one in .*)$`)
	mixHeads = regexp.MustCompile(`(?i)\b(never|mixed|mix|always|1 in \d+|every \d+\w*)\b`)
)

// mixedTables: a mixture of two loads lies between them.
func mixedTables(d *Document) []Finding {
	return d.eachTable(func(t *Table) []Finding {
		if mix, ok := t.only(Mix); ok {
			return mixedRows(t, mix)
		}
		return mixedColumns(t)
	})
}

func mixedRows(t *Table, mix int) (out []Finding) {
	for i := range t.Rows {
		r := &t.Rows[i]
		if !mixedIn.MatchString(r.Cells[mix].Text) {
			continue
		}
		no, yes := t.pure(r, mix, pureNo), t.pure(r, mix, pureYes)
		if no == nil || yes == nil {
			continue
		}
		for c, col := range t.Columns {
			if col.Kind != Rate && (col.Kind != Latency || col.Stat == Max || col.Stat == Min) {
				continue
			}
			if f, ok := between(r, no, yes, c, c, c); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// pure is the one row that equals r but for the mix, which matches.
func (t *Table) pure(r *Row, mix int, is *regexp.Regexp) *Row {
	var found *Row
	for i := range t.Rows {
		o := &t.Rows[i]
		if !is.MatchString(o.Cells[mix].Text) || !t.sameBut(r, o, mix) {
			continue
		}
		if found != nil {
			return nil
		}
		found = o
	}
	return found
}

// sameBut compares the keys of two rows; a blank cell agrees with any, since
// what is not streamed has no frames.
func (t *Table) sameBut(a, b *Row, mix int) bool {
	for i, c := range t.Columns {
		x, y := a.Cells[i].Text, b.Cells[i].Text
		if c.Key && i != mix && x != y && !blank(x) && !blank(y) {
			return false
		}
	}
	return true
}

// mixedColumns knows the other layout: "req/s never | req/s mixed | req/s
// always".
func mixedColumns(t *Table) (out []Finding) {
	var no, yes, mixed []int
	for i, c := range t.Columns {
		if c.Kind != Rate {
			continue
		}
		switch word := strings.ToLower(mixHeads.FindString(c.Name)); {
		case word == "never":
			no = append(no, i)
		case word == "always":
			yes = append(yes, i)
		case word != "":
			mixed = append(mixed, i)
		}
	}
	if len(no) != 1 || len(yes) != 1 {
		return nil
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, m := range mixed {
			if f, ok := between(r, r, r, m, no[0], yes[0]); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

func between(r, no, yes *Row, at, noAt, yesAt int) (Finding, bool) {
	m, ok := r.Figure(at)
	a, okA := no.Figure(noAt)
	b, okB := yes.Figure(yesAt)
	if !ok || !okA || !okB || m.Dim != a.Dim || m.Dim != b.Dim || a.Value <= 0 || b.Value <= 0 {
		return Finding{}, false
	}
	low := min(a.LeastRun(), b.LeastRun()) * (1 - Tolerance)
	high := max(a.MostRun(), b.MostRun()) * (1 + Tolerance)
	if m.MostRun() >= low && m.LeastRun() <= high {
		return Finding{}, false
	}
	f := r.finding(ruleMixed, at)
	f.Read = fmt.Sprintf("%s %s; never streamed %s, always streamed %s", r.table.Columns[at].Name, r.Cells[at].Text, no.Cells[noAt].Text, yes.Cells[yesAt].Text)
	f.Why = "a mixture of two loads costs each request what it costs in one of them, so it lies between the two"
	f.Fits = fmt.Sprintf("%s to %s", inUnit(m.Dim, min(a.Value, b.Value)), inUnit(m.Dim, max(a.Value, b.Value)))
	return f, true
}
