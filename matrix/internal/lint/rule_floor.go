package lint

import (
	"fmt"
	"regexp"
	"strings"
)

const ruleFloor = "below-floor"

// floorName recognises the row of the same load with no gateway in the way.
var floorName = regexp.MustCompile(`(?i)\bfloor\b|\bmock[- ]direct\b|\bdirect(ly)?[- ](to )?(the )?(mock|upstream|backend)\b|\bno (gateway|proxy)\b|\bwithout (a |the )?(gateway|proxy)\b|^(the )?(mock|upstream|backend)( server| itself| alone| only)?\b[^/]*$|^direct$|^baseline \((mock|upstream|no gateway)`)

// excuses are the words by which a row says that not every answer came over
// the whole way.
var excuses = []string{"cache", "cached", "coalesc", "collaps", "dedup"}

// floorTables: nothing that stands between client and mock makes either
// faster.
func floorTables(d *Document) []Finding {
	return d.eachTable(func(t *Table) (out []Finding) {
		floors := map[int]bool{}
		for i := range t.Rows {
			if t.Rows[i].floor() {
				floors[i] = true
			}
		}
		if len(floors) == 0 || len(floors) == len(t.Rows) {
			return nil
		}
		for i := range t.Rows {
			if floors[i] {
				continue
			}
			if f := t.floorOf(i, floors); f != nil && !t.Rows[i].excused(f) {
				out = append(out, below(&t.Rows[i], f)...)
			}
		}
		return out
	})
}

func (r *Row) floor() bool {
	for i, c := range r.table.Columns {
		if !c.Key || strings.EqualFold(c.Name, "shape") || c.Kind != Unknown {
			continue
		}
		if text := r.Cells[i].Text; floorName.MatchString(text) && !difference.MatchString(text) {
			return true
		}
	}
	return false
}

// difference recognises a row that sets two others against each other.
var difference = regexp.MustCompile(`(?i) [−–-] | vs\.? | minus |[÷]`)

// floorOf is the floor's row under the conditions of row at: equal cells in
// the columns that are conditions, and of the words in its name as many as can
// be. nil is none.
func (t *Table) floorOf(at int, floors map[int]bool) *Row {
	var best *Row
	most, tie := -1, false
	for i := range t.Rows {
		if !floors[i] {
			continue
		}
		n, ok := t.sameConditions(&t.Rows[at], &t.Rows[i])
		switch {
		case !ok:
		case n > most:
			best, most, tie = &t.Rows[i], n, false
		case n == most:
			tie = true
		}
	}
	if tie {
		return nil
	}
	return best
}

// sameConditions compares a row with a floor's. common counts the conditions
// in the names of both.
func (t *Table) sameConditions(r, floor *Row) (common int, ok bool) {
	for i, c := range t.Columns {
		if !c.Key {
			continue
		}
		a, b := r.Cells[i].Text, floor.Cells[i].Text
		switch {
		case a == b:
			common++
		case blank(b): // the floor has no workers, no log store
		case floorName.MatchString(b):
			have := qualifiers(a)
			for q := range qualifiers(b) {
				if !have[q] {
					return 0, false
				}
				common++
			}
		case blank(a):
		default:
			return 0, false
		}
	}
	return common, true
}

// qualifiers are the parts of a name behind its first comma: the conditions in
// "gateway, governed, 52KB".
func qualifiers(name string) conditions {
	out := conditions{}
	parts := strings.Split(cutParentheses(name), ",")
	for _, p := range parts[1:] {
		out[strings.ToLower(strings.TrimSpace(p))] = true
	}
	return out
}

type conditions map[string]bool

// excused reports whether the row, or its table, says why it may be faster:
// answers from a cache, or frames that were joined on the way.
func (r *Row) excused(floor *Row) bool {
	if r.says(excuses...) || containsAny(r.table.Title, excuses...) {
		return true
	}
	for _, i := range r.table.Is(Together) {
		a, okA := r.Figure(i)
		b, okB := floor.Figure(i)
		if okA && okB && a.Value > b.Value {
			return true
		}
	}
	return false
}

func below(r, floor *Row) (out []Finding) {
	t := r.table
	for i, c := range t.Columns {
		if c.Kind != Rate && c.Kind != Latency || c.Stat == Max || c.Stat == Min {
			continue
		}
		a, okA := r.Figure(i)
		b, okB := floor.Figure(i)
		if !okA || !okB || a.Dim != b.Dim || b.Value <= 0 {
			continue
		}
		f := r.finding(ruleFloor, i)
		f.Read = fmt.Sprintf("%s %s; %s: %s", c.Name, r.Cells[i].Text, floor.Name(), floor.Cells[i].Text)
		switch {
		case c.Kind == Rate && a.LeastRun() > b.MostRun()*(1+Tolerance):
			f.Why = fmt.Sprintf("with a gateway in the way throughput is %s times that of the mock alone, which answers every one of these requests", short(a.Value/b.Value))
			f.Fits = fmt.Sprintf("at most %s, or a word that answers came from a cache; else the direct row is at fault (its connections, its client)", inUnit(a.Dim, b.Value))
		case c.Kind == Latency && a.MostRun() < b.LeastRun()*(1-Tolerance):
			f.Why = fmt.Sprintf("with a gateway in the way a request takes %s, without it %s", inUnit(a.Dim, a.Value), inUnit(b.Dim, b.Value))
			f.Fits = fmt.Sprintf("at least %s, or a word that answers came from a cache or frames were joined", inUnit(b.Dim, b.Value))
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}
