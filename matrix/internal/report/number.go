package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/results"
)

// none is what a table prints where there is nothing to print.
const none = "–"

// integer prints n with thousands separated.
func integer(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// significant prints v with three significant digits, but never drops a digit
// before the decimal point.
func significant(v float64) string {
	if v < 0 {
		return "−" + significant(-v)
	}
	switch {
	case v == 0:
		return "0"
	case v >= 99.95:
		return integer(int64(math.Round(v)))
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// scale turns a figure's unit in files into its unit in tables.
type scale float64

const (
	toMs      scale = 1e-6 // from ns
	toUs      scale = 1e-3 // from ns
	toMiB     scale = 1.0 / (1 << 20)
	asItIs    scale = 1
	toPercent scale = 100 // from a share
)

func (s scale) of(v float64) string { return significant(v * float64(s)) }

// spreadText prints a median and how far the farthest repetition lies from it.
func spreadText(s results.Spread, unit scale) string {
	if s.N == 0 {
		return none
	}
	return unit.of(s.Median) + plusMinus(s, s.Median)
}

// quantileText prints a percentile of the merged histogram, with the farthest
// repetition's distance from it, or why it does not stand.
func quantileText(q results.Quantile, unit scale) string {
	if q.Samples == 0 {
		return none
	}
	if !q.Stands() {
		return q.Unavailable()
	}
	return unit.of(float64(q.ValueNs)) + plusMinus(q.Spread, float64(q.ValueNs))
}

// plusMinus is empty where there is one repetition: it has no spread.
func plusMinus(s results.Spread, center float64) string {
	if s.N < 2 || center == 0 {
		return ""
	}
	share := max(s.Max-center, center-s.Min, 0) / math.Abs(center)
	return " ±" + percentText(share)
}

func percentText(share float64) string {
	p := math.Abs(share) * 100
	if p < 0.95 && p != 0 {
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(p, 'f', 0, 64) + "%"
}

func signedPercent(share float64) string {
	if share < 0 {
		return "−" + percentText(share)
	}
	return "+" + percentText(share)
}

// withinNoise stands for a difference that the repetitions do not show.
const withinNoise = "within noise"

// undecided stands for a difference that too few repetitions were made for.
const undecided = "too few repetitions"

// relativeDelta prints a difference in percent where it exceeds the noise.
func relativeDelta(d results.Delta) string {
	share, ok := d.Relative()
	switch {
	case !ok:
		return none
	case !d.Decides():
		return undecided
	case !d.Stands():
		return withinNoise
	}
	return signedPercent(share)
}

// withUnit appends the unit to a text that holds a number.
func withUnit(s, unit string) string {
	if s == none || s == withinNoise || s == undecided || strings.HasPrefix(s, "n/a") {
		return s
	}
	return s + " " + unit
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// enumerate joins words: "a", "a and b", "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// plural prints "1 cell", "2 cells".
func plural(n int, word string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, word)
	}
	return integer(int64(n)) + " " + word + "s"
}
