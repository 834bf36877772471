package lint

import (
	"fmt"
	"regexp"
	"slices"
)

const ruleSpread = "spread-too-small"

var (
	spreadSaid = regexp.MustCompile(`(?i)(?:±|\+/-|within )\s?(\d+(?:[.,]\d+)?)\s?%`)
	spreadOf   = regexp.MustCompile(`(?i)\b(run[- ]to[- ]run|runs?|variance|variation|spread|noise|repeat\w*|reproduc\w*)\b`)
	runColumn  = regexp.MustCompile(`(?i)\b(run|pass|attempt|earlier|later|first|second|again|repeat)\b`)
)

// spreadTables: where the text says that runs lie within ±x %, two runs that
// are shown lie within it too.
func spreadTables(d *Document) (out []Finding) {
	for _, s := range d.Sections {
		for _, said := range s.sentences() {
			m := spreadSaid.FindStringSubmatch(said.text)
			if m == nil || !spreadOf.MatchString(said.text) {
				continue
			}
			n, ok := scanNumber(m[1])
			if !ok || n.value <= 0 || n.value >= 100 {
				continue
			}
			out = append(out, s.apart(n.value/100, said.text)...)
		}
	}
	return out
}

// apart finds two runs of one row in the section that lie further apart than
// both ends of ±share.
func (s *Section) apart(share float64, said string) (out []Finding) {
	most := (1 + share) / (1 - share)
	for _, t := range s.Tables {
		list := t.told()
		for i := range t.Rows {
			list = append(list, t.runColumns(&t.Rows[i])...)
			list = append(list, t.again(i)...)
		}
		for _, p := range list {
			if p.high.Value <= p.low.Value*most {
				continue
			}
			f := p.at.finding(ruleSpread, p.column)
			f.Read = fmt.Sprintf("%s and %s; the text: %q", p.first, p.second, said)
			f.Why = fmt.Sprintf("the two runs are %s apart; with ±%s at most %s", percentOf(p.high.Value/p.low.Value-1), percentOf(share), percentOf(most-1))
			f.Fits = "±" + percentOf((p.high.Value-p.low.Value)/(p.high.Value+p.low.Value)) + " or more"
			out = append(out, f)
		}
	}
	return out
}

// told pairs a row with a figure of another run that the section's text tells
// of it: "an earlier run read 99k requests/s in the chat row at 256". Of
// several rows that it may mean, it means the nearest.
func (t *Table) told() (out []runPair) {
	rate, ok := t.only(Rate)
	if !ok {
		return nil
	}
	for _, s := range t.Section.sentences() {
		if !otherRun.MatchString(s.text) {
			continue
		}
		for _, q := range figures(s.text) {
			if q.Dim != PerSecond || q.Value <= 0 {
				continue
			}
			if p, ok := t.nearest(rate, q, s.text); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

var (
	otherRun    = regexp.MustCompile(`(?i)\b(an? |the )?(earlier|later|other|another|previous|second|first) run\b`)
	wholeNumber = regexp.MustCompile(`\b\d+\b`)
)

func (t *Table) nearest(rate int, q Quantity, text string) (best runPair, ok bool) {
	said, numbers := words(text), wholeNumber.FindAllString(text, -1)
	for i := range t.Rows {
		r := &t.Rows[i]
		x, fine := r.of(rate, PerSecond)
		n, _, closed := r.inFlight()
		if !fine || x.Value <= 0 || !closed || !slices.Contains(numbers, fmt.Sprintf("%.0f", n)) {
			continue
		}
		common := false
		for w := range words(r.Name()) {
			common = common || said[w]
		}
		if !common {
			continue
		}
		p := runPair{at: r, column: rate, first: r.read(rate), second: inUnit(PerSecond, q.Value) + " in another run", low: x, high: q}
		if x.Value > q.Value {
			p.low, p.high = q, x
		}
		if !ok || p.high.Value/p.low.Value < best.high.Value/best.low.Value {
			best, ok = p, true
		}
	}
	return best, ok
}

// runPair is one figure, measured twice.
type runPair struct {
	at            *Row
	column        int
	first, second string // as written
	low, high     Quantity
}

// runColumns pairs the columns of a row that hold runs of one measure.
func (t *Table) runColumns(r *Row) (out []runPair) {
	list := t.Is(Rate)
	for i, a := range list {
		for _, b := range list[i+1:] {
			if !runColumn.MatchString(t.Columns[a].Name) && !runColumn.MatchString(t.Columns[b].Name) {
				continue
			}
			if p, ok := pairOf(r, a, r, b); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

// again pairs row at with later rows under the same conditions but for a
// column that counts runs.
func (t *Table) again(at int) (out []runPair) {
	a := &t.Rows[at]
	for j := at + 1; j < len(t.Rows); j++ {
		b := &t.Rows[j]
		if !t.sameRun(a, b) {
			continue
		}
		for _, c := range t.Is(Rate) {
			if p, ok := pairOf(a, c, b, c); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

func (t *Table) sameRun(a, b *Row) bool {
	named := false
	for i, c := range t.Columns {
		if !c.Key || runColumn.MatchString(c.Name) {
			continue
		}
		if a.Cells[i].Text != b.Cells[i].Text {
			return false
		}
		named = named || !blank(a.Cells[i].Text)
	}
	return named
}

func pairOf(a *Row, ac int, b *Row, bc int) (runPair, bool) {
	x, okX := a.of(ac, PerSecond)
	y, okY := b.of(bc, PerSecond)
	if !okX || !okY || x.Value <= 0 || y.Value <= 0 {
		return runPair{}, false
	}
	p := runPair{at: b, column: bc, first: a.read(ac), second: b.read(bc), low: x, high: y}
	if x.Value > y.Value {
		p.low, p.high = y, x
	}
	return p, true
}
