package lint

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// number is a decimal as it is written.
type number struct {
	value float64
	half  float64 // half of the last digit shown: the figure is value ± half
	size  int     // bytes read
}

// maxDigits bounds a number's digits: more say nothing, and a float64 holds 17.
const maxDigits = 40

// scanNumber reads a number at the start of s: a sign, digits in groups of
// three parted by comma, apostrophe, underscore or a narrow space, a decimal
// point, or a decimal comma where it cannot be a group, and a power of ten.
func scanNumber(s string) (number, bool) {
	rest, sign := s, 1.0
	for _, p := range []struct {
		text string
		sign float64
	}{{"+", 1}, {"-", -1}, {"−", -1}} {
		if r, ok := strings.CutPrefix(rest, p.text); ok {
			rest, sign = r, p.sign
			break
		}
	}
	var digits strings.Builder
	decimals, last := 0, 0 // last: where the digits end
	point := false
	for i := 0; i < len(rest); {
		c := rest[i]
		if c >= '0' && c <= '9' {
			digits.WriteByte(c)
			if point {
				decimals++
			}
			i++
			last = i
			if digits.Len() > maxDigits {
				return number{}, false
			}
			continue
		}
		if digits.Len() == 0 || point {
			break
		}
		r, size := utf8.DecodeRuneInString(rest[i:])
		after := countDigits(rest[i+size:])
		switch {
		case strings.ContainsRune(",'_’\u00a0\u2009\u202f", r) && after == 3:
		case (r == '.' || r == ',') && after > 0:
			point = true
			digits.WriteByte('.')
		default:
			size = 0
		}
		if size == 0 {
			break
		}
		i += size
	}
	if digits.Len() == 0 {
		return number{}, false
	}
	v, err := strconv.ParseFloat(digits.String(), 64)
	if err != nil {
		return number{}, false
	}
	n := number{value: sign * v, half: 0.5 * math.Pow10(-decimals), size: len(s) - len(rest) + last}
	exponent, size, replaces := scanExponent(s[n.size:], v)
	if size > 0 {
		if replaces { // "10^9": the ten is the base
			n.value, n.half = sign, 0
		}
		n.value *= math.Pow10(exponent)
		n.half *= math.Pow10(exponent)
		n.size += size
	}
	return n, true
}

func countDigits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// maxExponent keeps powers of ten where a float64 is exact enough and finite.
const maxExponent = 30

// scanExponent reads "e9", "^9", "⁹", "×10^9" and "×10⁹". replaces: the number
// before it is the base itself.
func scanExponent(s string, base float64) (exponent, size int, replaces bool) {
	rest := s
	switch {
	case len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E'):
		rest = rest[1:]
		if e, n, ok := scanInt(rest); ok {
			return e, 1 + n, false
		}
		return 0, 0, false
	default:
		for _, times := range []string{"×10", " × 10", "*10", "x10", "·10"} {
			if r, ok := strings.CutPrefix(rest, times); ok {
				if e, n, ok := power(r); ok {
					return e, len(times) + n, false
				}
				return 0, 0, false
			}
		}
	}
	if base == 10 {
		if e, n, ok := power(rest); ok {
			return e, n, true
		}
	}
	return 0, 0, false
}

func power(s string) (e, size int, ok bool) {
	if r, cut := strings.CutPrefix(s, "^"); cut {
		e, n, ok := scanInt(r)
		return e, 1 + n, ok
	}
	const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹"
	for i, r := range s {
		d := strings.IndexRune(superscripts, r)
		if d < 0 {
			return e, i, i > 0
		}
		e = e*10 + utf8.RuneCountInString(superscripts[:d])
		if e > maxExponent {
			return 0, 0, false
		}
	}
	return e, len(s), s != ""
}

func scanInt(s string) (v, size int, ok bool) {
	sign := 1
	if s != "" && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		size = 1
	}
	n := countDigits(s[size:])
	if n == 0 || n > 3 {
		return 0, 0, false
	}
	v, err := strconv.Atoi(s[size : size+n])
	if err != nil || v > maxExponent {
		return 0, 0, false
	}
	return sign * v, size + n, true
}
