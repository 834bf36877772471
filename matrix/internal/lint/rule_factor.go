package lint

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

const ruleFactor = "claimed-factor"

// factorGive is how far a claimed factor may be from the figures' own, beyond
// its own rounding.
const factorGive = 0.1

var factorClaim = regexp.MustCompile(`(?i)(~|≈|about |over |more than |at least |up to |>\s?)?(?:(\d[\d.,]*)\s?[-–]\s?)?(\d[\d.,]*)\s?[x×]\s+(?:[\w-]+\s+){0,2}?(faster|quicker|better|improvement|speed-?up|higher|lower|slower|less|more|fewer|cheaper|gain|throughput|scaling)\b`)

// span is a factor that figures allow, from low to high.
type span struct{ low, high float64 }

// factorTables: "90x faster" must be a ratio of two figures that stand there.
func factorTables(d *Document) (out []Finding) {
	out = d.eachRow(factorCells)
	out = append(out, d.eachTable(speedups)...)
	for _, s := range d.Sections {
		for _, t := range s.sentences() {
			out = append(out, d.factorSentence(s, t)...)
		}
	}
	return out
}

type factor struct {
	text      string
	low, high float64
}

func claimsIn(text string) (out []factor) {
	for _, m := range factorClaim.FindAllStringSubmatch(text, -1) {
		n, ok := scanNumber(m[3])
		if !ok || n.value <= 0 {
			continue
		}
		f := factor{strings.TrimSpace(m[0]), (n.value - n.half) * (1 - factorGive), (n.value + n.half) * (1 + factorGive)}
		if from, ok := scanNumber(m[2]); ok && from.value < n.value { // "5-10x faster"
			f.low = (from.value - from.half) * (1 - factorGive)
		}
		switch strings.ToLower(strings.TrimSpace(m[1])) {
		case "over", "more than", "at least", ">":
			f.high = math.Inf(1)
		case "up to":
			f.low = 0
		}
		out = append(out, f)
	}
	return out
}

// ratio is the greater of two figures of one dimension over the lesser.
func ratio(a, b Quantity) (span, bool) {
	if a.Dim != b.Dim || a.Lo() <= 0 || b.Lo() <= 0 || a.Dim == Ratio || a.Dim == Percent {
		return span{}, false
	}
	if a.Value < b.Value {
		a, b = b, a
	}
	s := span{a.LeastRun() / b.MostRun(), a.MostRun() / math.Max(b.LeastRun(), math.SmallestNonzeroFloat64)}
	if a.Bound == '<' && b.Bound == '<' {
		s.high = math.Inf(1) // "< 10 ms" may be anything below
	}
	return s, true
}

func pairs(list []Quantity) (out []span) {
	for i := range list {
		for j := range i {
			if s, ok := ratio(list[i], list[j]); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// against lists the ratios between two sets.
func against(a, b []Quantity) (out []span) {
	for _, x := range a {
		for _, y := range b {
			if s, ok := ratio(x, y); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

func (f factor) supported(list []span) bool {
	for _, s := range list {
		if s.low <= f.high && s.high >= f.low {
			return true
		}
	}
	return false
}

// factorCells checks a claim in a cell against the figures of its row, those
// in the claim itself among them.
func factorCells(t *Table, r *Row) (out []Finding) {
	for i := range t.Columns {
		claims := claimsIn(r.Cells[i].Text)
		if len(claims) == 0 {
			continue
		}
		var list []Quantity
		for _, q := range figures(r.Cells[i].Text) {
			if q.Dim != Ratio && q.Dim != Percent {
				q.Half = 0 // a target, named for the comparison
				list = append(list, q)
			}
		}
		for j := range t.Columns {
			if q, ok := limit(r, j); ok && j != i {
				list = append(list, q)
			}
		}
		for _, c := range claims {
			if all := pairs(list); len(all) > 0 && !c.supported(all) {
				f := r.finding(ruleFactor, i)
				f.Read = r.Cells[i].Text + "; " + strings.TrimSuffix(figuresText(list), ", ")
				f.Why, f.Fits = notThatFactor(c, all)
				out = append(out, f)
			}
		}
	}
	return out
}

// limit is Figure, and also reads a target such as "< 1 µs".
func limit(r *Row, i int) (Quantity, bool) {
	q, ok := ParseQuantity(r.Cells[i].Text)
	if !ok || !q.Figure() {
		return q, false
	}
	q = q.in(r.table.Columns[i].unit)
	if q.Bound != 0 {
		q.Half = 0 // a target is exact
	}
	return q, q.Dim != Plain && q.Dim != Ratio && q.Dim != Percent && q.Value > 0
}

func figuresText(list []Quantity) string {
	var b strings.Builder
	for i, q := range list {
		if i == 8 {
			b.WriteString("…")
			break
		}
		if q.Low != q.High {
			fmt.Fprintf(&b, "%s to %s, ", inUnit(q.Dim, q.Low), inUnit(q.Dim, q.High))
			continue
		}
		fmt.Fprintf(&b, "%s, ", inUnit(q.Dim, q.Value))
	}
	return b.String()
}

func notThatFactor(c factor, all []span) (why, fits string) {
	best, off := all[0], math.Inf(1)
	middle := func(s span) float64 { return math.Sqrt(s.low * min(s.high, 1e12)) }
	target := math.Sqrt(max(c.low, 1e-9) * min(c.high, 1e12))
	for _, s := range all {
		if d := math.Abs(math.Log(middle(s) / target)); d < off {
			best, off = s, d
		}
	}
	text := short(middle(best))
	if best.high > best.low*1.05 {
		text = short(best.low) + " to " + short(best.high)
	}
	return fmt.Sprintf("no two of these figures stand in that ratio; the nearest is %sx", text), text + "x"
}

// speedups checks a column of factors: each is the ratio of the row's figure
// to another row's, or of two figures of the row.
func speedups(t *Table) (out []Finding) {
	at, ok := t.only(Speedup)
	if !ok || len(t.Rows) > maxPaired {
		return nil
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		q, ok := r.Figure(at)
		if !ok || q.Value <= 0 || q.Low != q.High || q.Note != "" || len(claimsIn(r.Cells[at].Text)) > 0 {
			continue // a range of ratios within blocks; a claim, checked in its cell
		}
		var all []span
		var own []Quantity
		for j, c := range t.Columns {
			if j == at || c.Kind != Rate && c.Kind != Latency && c.Kind != CPU && c.Kind != Bandwidth && c.Kind != Toll {
				continue
			}
			x, ok := r.Figure(j)
			if !ok {
				continue
			}
			own = append(own, x)
			for k := range t.Rows {
				if y, ok := t.Rows[k].Figure(j); ok && k != i {
					all = append(all, against([]Quantity{x}, []Quantity{y})...)
				}
			}
		}
		all = append(all, pairs(own)...)
		v := q.Value
		if v < 1 {
			v = 1 / v
		}
		c := factor{r.Cells[at].Text, v * (1 - factorGive) * (q.Lo() / q.Value), v * (1 + factorGive) * (q.Hi() / q.Value)}
		if len(all) == 0 || c.supported(all) || q.Lo() <= 1 && q.Hi() >= 1 {
			continue
		}
		f := r.finding(ruleFactor, at)
		f.Read = r.read(at) + "; " + strings.TrimSuffix(figuresText(own), ", ")
		f.Why, f.Fits = notThatFactor(c, all)
		out = append(out, f)
	}
	return out
}

// factorSentence checks a claim in prose: against the figures of the sentence,
// those of the section's tables, and the pair of a sequential and a concurrent
// figure when the claim is about those.
func (d *Document) factorSentence(s *Section, t sentence) (out []Finding) {
	for _, c := range claimsIn(t.text) {
		all, about := d.candidates(s, t.text)
		if len(all) == 0 || c.supported(all) {
			continue
		}
		f := Finding{Rule: ruleFactor, Line: t.line, Table: about, Read: t.text}
		f.Why, f.Fits = notThatFactor(c, all)
		out = append(out, f)
	}
	return out
}

func (d *Document) candidates(s *Section, text string) (all []span, about string) {
	if sequentialName.MatchString(text) && concurrentName.MatchString(text) {
		for _, p := range d.racings() {
			// The order is known here: below one is no gain.
			all = append(all, span{p.concQ.LeastRun() / p.seqQ.MostRun(), p.concQ.MostRun() / p.seqQ.LeastRun()})
			about = p.conc.table.Title
		}
		if len(all) > 0 {
			return all, about
		}
	}
	own := figures(text)
	for i := range own {
		own[i].Half = 0
	}
	all = pairs(own)
	said := words(text)
	for _, t := range s.Tables {
		rows := 0
		var list []Quantity
		for i := range t.Rows {
			r := &t.Rows[i]
			for w := range words(r.Name()) {
				if said[w] {
					rows++
					break
				}
			}
			for j := range t.Columns {
				if q, ok := limit(r, j); ok && !t.Columns[j].Key {
					list = append(list, q)
				}
			}
		}
		if more := against(own, list); len(more) > 0 {
			all, about = append(all, more...), t.Title
		}
		// A claim is about rows that it names; one name may be chance.
		if rows > 1 {
			all, about = append(all, t.columnPairs()...), t.Title
		}
	}
	return all, about
}

// maxPaired bounds the rows of a table whose rows are set against each other
// one by one.
const maxPaired = 200

// columnPairs are the ratios between the rows of each column.
func (t *Table) columnPairs() (out []span) {
	for j, c := range t.Columns {
		if c.Key {
			continue
		}
		var list []Quantity
		for i := range t.Rows {
			if q, ok := limit(&t.Rows[i], j); ok {
				list = append(list, q)
			}
		}
		if len(list) <= maxPaired {
			out = append(out, pairs(list)...)
		}
	}
	return out
}
