package lint

import (
	"fmt"
	"math"
	"regexp"
	"strings"
)

const ruleResolution = "below-resolution"

var (
	belowMilli  = regexp.MustCompile(`(?i)\bsub-?millisecond\b|\bsub-ms\b|\b(under|below|less than|within) (a|one|1) (millisecond|ms)\b|<\s?1 ?ms\b`)
	belowMicro  = regexp.MustCompile(`(?i)\bsub-?microsecond\b|\bsub-µs\b|\b(under|below|less than|within) (a|one|1) (microsecond|µs|us)\b|<\s?1 ?µs\b`)
	percentNear = regexp.MustCompile(`(?i)\bp ?(\d{2,3}(?:\.\d+)?)\b`)
)

// resolutionTables: whole milliseconds cannot show less than one, and no
// request takes none.
func resolutionTables(d *Document) (out []Finding) {
	for _, s := range d.Sections {
		for _, t := range s.Tables {
			out = append(out, zeroTimes(t)...)
			for _, scale := range []struct {
				claim *regexp.Regexp
				unit  float64
			}{{belowMilli, 1e-3}, {belowMicro, 1e-6}} {
				out = append(out, finerThanShown(s, t, scale.claim, scale.unit)...)
			}
		}
	}
	return out
}

// zeroTimes: a time that is shown as 0, of a statistic.
func zeroTimes(t *Table) (out []Finding) {
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, c := range t.Is(Latency) {
			q, ok := r.of(c, Time)
			if !ok || q.Value != 0 || t.Columns[c].Stat == Figure || t.Columns[c].Stat == Min {
				continue
			}
			f := r.finding(ruleResolution, c)
			f.Read = r.read(c)
			f.Why = "no request takes no time: the figure was rounded away"
			f.Fits = fmt.Sprintf("a finer unit, or < %s", seconds(2*q.Half))
			out = append(out, f)
		}
	}
	return out
}

// wholeUnits reports whether every figure of the column is a whole number of
// unit.
func (t *Table) wholeUnits(column int, unit float64) bool {
	seen := false
	for i := range t.Rows {
		q, ok := t.Rows[i].of(column, Time)
		if !ok {
			continue
		}
		seen = true
		// Shown to half a unit at best, with nothing behind the point.
		if math.Abs(q.Half-unit/2) > unit*1e-6 {
			return false
		}
	}
	return seen
}

// finerThanShown looks for the claim in the section's text and in the rows.
func finerThanShown(s *Section, t *Table, claim *regexp.Regexp, unit float64) (out []Finding) {
	said := s.sentences()
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, c := range r.Cells {
			if claim.MatchString(c.Text) {
				said = append(said, sentence{c.Text, c.Line})
			}
		}
		for _, c := range t.Is(Latency, Toll) {
			col := &t.Columns[c]
			q, ok := r.of(c, Time)
			if !ok || col.Stat == Figure || math.Abs(q.Value-unit) > unit*1e-6 || !t.wholeUnits(c, unit) {
				continue
			}
			for _, text := range said {
				if !claim.MatchString(text.text) || !speaksOf(text.text, col) || !r.meant(text) {
					continue
				}
				f := r.finding(ruleResolution, c)
				f.Read = fmt.Sprintf("%s; said of it: %q", r.read(c), text.text)
				f.Why = fmt.Sprintf("the figure is rounded to whole units, so it is %s to %s: it cannot carry the claim", seconds(unit/2), seconds(unit*3/2))
				f.Fits = "a figure in a finer unit beside the claim"
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// speaksOf: a claim that names a percentile is about that one only.
func speaksOf(text string, c *Column) bool {
	m := percentNear.FindAllStringSubmatch(text, -1)
	if len(m) == 0 {
		return true
	}
	for _, one := range m {
		if n, ok := scanNumber(one[1]); ok && c.Stat == Percentile && n.value == c.P {
			return true
		}
	}
	return false
}

// meant: a claim that stands in another row, or whose text names other rows
// of the table and not this one, is not about this one. Without any name it
// is about all but the floor.
func (r *Row) meant(claim sentence) bool {
	if r.floor() {
		return false
	}
	named := func(o *Row) bool {
		for i, c := range o.table.Columns {
			if !c.Key {
				continue
			}
			for w := range words(cutParentheses(o.Cells[i].Text)) {
				if w != "gateway" && words(claim.text)[w] {
					return true
				}
			}
		}
		return false
	}
	for _, c := range r.Cells {
		if c.Line == claim.line && strings.Contains(claim.text, c.Text) {
			return true
		}
	}
	if named(r) {
		return true
	}
	for i := range r.table.Rows {
		if o := &r.table.Rows[i]; named(o) || o.Cells[0].Line == claim.line {
			return false
		}
	}
	return true
}
