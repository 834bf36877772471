package lint

import (
	"math"
	"strings"
)

// Quantity is a figure with its unit, in the base unit of its dimension.
type Quantity struct {
	Value     float64
	Low, High float64 // of a range that is written out; else Value
	Half      float64 // half of the last digit shown
	Dim       Dimension
	Unit      string  // as written; "" is none
	Spread    float64 // ± as a share of Value, 0 is none
	Approx    bool    // "~", "≈", "about"
	Bound     byte    // '<' or '>': a limit, not a value; 0 is neither
	Note      string  // what stands in parentheses behind it
	Rest      string  // what follows
}

// Lo and Hi are the least and the most that the figure can stand for: rounding
// and a range that is written out, but no spread over repetitions.
func (q Quantity) Lo() float64 { return q.Low - q.Half }

// Hi is the upper end of Lo.
func (q Quantity) Hi() float64 { return q.High + q.Half }

// LeastRun and MostRun also hold the spread.
func (q Quantity) LeastRun() float64 { return q.Lo() - math.Abs(q.Value)*q.Spread }

// MostRun is the upper end of LeastRun.
func (q Quantity) MostRun() float64 { return q.Hi() + math.Abs(q.Value)*q.Spread }

// in scales a figure without a unit by the unit of its column.
func (q Quantity) in(u unit) Quantity {
	if q.Dim != Plain || u.dim == Plain {
		return q
	}
	q.Dim = u.dim
	q.Value *= u.scale
	q.Low *= u.scale
	q.High *= u.scale
	q.Half *= u.scale
	return q
}

// ParseQuantity reads a figure at the start of s, as tables write them:
// "~57.3k rps", "16,362 ±29%", "83–90 ns", "<1 ms", "6.2x", "10^9 tokens",
// "6.17 (2.35 to 8.83)".
func ParseQuantity(s string) (Quantity, bool) {
	var q Quantity
	rest := strings.TrimSpace(s)
	rest = q.prefixes(rest)
	n, ok := scanNumber(rest)
	if !ok {
		return Quantity{}, false
	}
	rest = rest[n.size:]
	low, high := n, n
	if r, cut := cutRange(rest); cut {
		if m, ok := scanNumber(r); ok && m.value >= n.value {
			high, rest = m, r[m.size:]
		}
	}
	if n.value < 0 && high.value != n.value {
		return Quantity{}, false // "-5-7": no range, no figure
	}
	scale, u, word, rest, ok := cutUnit(rest)
	if !ok {
		return Quantity{}, false
	}
	rest = q.spread(rest, (low.value+high.value)/2*scale*u.scale, scale, &u, &word)
	f := scale * u.scale
	q.Low, q.High, q.Half = low.value*f, high.value*f, max(low.half, high.half)*f
	q.Value = (q.Low + q.High) / 2
	q.Dim, q.Unit = u.dim, word
	if q.Approx {
		q.Half = max(q.Half, lastDigit(q.Value/f)*f/2)
	}
	if math.IsInf(q.Value, 0) || math.IsNaN(q.Value) {
		return Quantity{}, false
	}
	q.tail(rest, f)
	return q, true
}

func (q *Quantity) prefixes(s string) string {
	for {
		r := s
		for _, p := range []string{"~", "≈", "about ", "approx. ", "ca. ", "c. "} {
			if c, ok := strings.CutPrefix(r, p); ok {
				r, q.Approx = c, true
			}
		}
		for p, b := range map[string]byte{"<": '<', "≤": '<', ">": '>', "≥": '>'} {
			if c, ok := strings.CutPrefix(r, p); ok {
				r, q.Bound = strings.TrimPrefix(c, "="), b
			}
		}
		r = strings.TrimLeft(r, " \u00a0")
		if r == s {
			return s
		}
		s = r
	}
}

func cutRange(s string) (string, bool) {
	t := strings.TrimLeft(s, " ")
	for _, p := range []string{"–", "-", "…", "..", "to "} {
		if r, ok := strings.CutPrefix(t, p); ok {
			return strings.TrimLeft(r, " "), true
		}
	}
	return s, false
}

// cutUnit reads multiplier and unit. A word that is neither is left over; one
// that clings to the number ("16-turn", "1st") makes it no figure.
func cutUnit(s string) (scale float64, u unit, word, rest string, ok bool) {
	scale, u = 1, unit{Plain, 1}
	t := strings.TrimLeft(s, " \u00a0\u202f")
	clings := t == s && s != ""
	w := unitWord(t)
	m, found, known := scaledUnit(w)
	if !known {
		if clings && !strings.ContainsRune(" )±(*,;:.+|/", []rune(s)[0]) {
			return 0, u, "", "", false
		}
		return 1, u, "", s, true
	}
	if found.dim != Plain {
		return m, found, w, t[len(w):], true
	}
	// A multiplier alone: its unit may follow after a space.
	scale, rest = m, t[len(w):]
	t = strings.TrimLeft(rest, " \u00a0")
	w2 := unitWord(t)
	if u2, ok := unitOf(w2); ok {
		return scale, u2, w2, t[len(w2):], true
	}
	return scale, u, w, rest, true
}

// spread reads "±29%" and "± 0.3 ms"; value is what it is a share of.
func (q *Quantity) spread(s string, value, scale float64, u *unit, word *string) string {
	t := strings.TrimLeft(s, " \u00a0")
	r, ok := strings.CutPrefix(t, "±")
	if !ok {
		if r, ok = strings.CutPrefix(t, "+/-"); !ok {
			return s
		}
	}
	r = strings.TrimLeft(r, " \u00a0")
	n, ok := scanNumber(r)
	if !ok || n.value < 0 {
		return s
	}
	r = r[n.size:]
	m, su, w, rest, ok := cutUnit(r)
	if !ok {
		return s
	}
	switch {
	case su.dim == Percent:
		q.Spread = n.value / 100
	case *word == "" && w != "": // "5.1 ± 0.2 ms"
		*u, *word = unit{su.dim, su.scale * m}, w
		if value != 0 {
			q.Spread = n.value / math.Abs(value/scale)
		}
	case value != 0:
		f := su.scale * m
		if w == "" {
			f = u.scale * scale
		}
		q.Spread = n.value * f / math.Abs(value)
	}
	return rest
}

// maxNote bounds a note in parentheses, in bytes.
const maxNote = 500

// tail keeps what follows, and reads "(2.35 to 8.83)" as the range that it is.
func (q *Quantity) tail(s string, f float64) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "(") {
		if end := strings.IndexByte(s[:min(len(s), maxNote)], ')'); end > 0 {
			q.Note = s[1:end]
			s = strings.TrimSpace(s[end+1:])
			if a, ok := scanNumber(q.Note); ok {
				if r, cut := cutRange(q.Note[a.size:]); cut {
					if b, ok := scanNumber(r); ok && a.value <= b.value && a.value*f <= q.Low && b.value*f >= q.High {
						q.Low, q.High = a.value*f, b.value*f
					}
				}
			}
		}
	}
	q.Rest = s
}

// lastDigit is the place value of v's last digit that is not zero.
func lastDigit(v float64) float64 {
	v = math.Abs(v)
	if v == 0 || v != math.Trunc(v) || v > 1e15 {
		return 0
	}
	d := 1.0
	for math.Mod(v, d*10) == 0 {
		d *= 10
	}
	return d
}

// Figure reports whether the quantity is all that a cell says.
func (q Quantity) Figure() bool {
	return q.Unit != "" || q.Rest == "" || strings.ContainsAny(q.Rest[:1], "(*+|/")
}
