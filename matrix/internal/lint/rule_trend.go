package lint

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

const ruleTrend = "claimed-trend"

var trendClaim = regexp.MustCompile(`(?i)\b(cost|costs|overhead|toll|penalty|price|loss|effect|change)\b[^.;]{0,40}\b(grows|rises|increases|climbs|widens|worsens|goes up)\b[^.;]{0,30}\bwith (?:the )?(concurrency|load|connections|clients|workers|size|body|bodies)\b`)

// trendTables: what is said to grow from row to row does so in the table.
func trendTables(d *Document) (out []Finding) {
	for _, s := range d.Sections {
		for _, said := range s.sentences() {
			m := trendClaim.FindStringSubmatch(said.text)
			if m == nil {
				continue
			}
			for _, t := range s.Tables {
				out = append(out, falling(t, strings.ToLower(m[3]), said.text)...)
			}
		}
	}
	return out
}

// falling finds the first step down of a column of changes, over rising
// conditions.
func falling(t *Table, over, said string) (out []Finding) {
	along, ok := t.along(over)
	if !ok {
		return nil
	}
	for _, c := range t.Is(Change) {
		for i := 1; i < len(t.Rows); i++ {
			a, b := &t.Rows[i-1], &t.Rows[i]
			x, okX := a.Figure(along)
			y, okY := b.Figure(along)
			p, okP := a.of(c, Percent)
			q, okQ := b.of(c, Percent)
			if !okX || !okY || !okP || !okQ || y.Value <= x.Value {
				continue
			}
			if math.Abs(q.Value)+q.Half >= math.Abs(p.Value)-p.Half {
				continue
			}
			f := b.finding(ruleTrend, c)
			f.Read = fmt.Sprintf("%s; then %s; the text: %q", a.read(along, c), b.read(along, c), said)
			f.Why = fmt.Sprintf("from %s to %s it does not grow but shrinks", a.Cells[c].Text, b.Cells[c].Text)
			f.Fits = "a claim about the rows that bear it out, or none"
			out = append(out, f)
			break
		}
	}
	return out
}

// along is the column of the condition that the claim names.
func (t *Table) along(over string) (int, bool) {
	switch over {
	case "concurrency", "load", "connections", "clients":
		return t.only(Concurrency)
	case "size", "body", "bodies":
		return t.only(Size)
	}
	for i, c := range t.Columns {
		if c.Key && strings.EqualFold(c.Name, over) {
			return i, true
		}
	}
	return 0, false
}
