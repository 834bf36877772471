package lint

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Tolerance is the share by which figures of one measurement may miss a law
// that holds exactly, beyond what rounding and a quoted spread explain.
const Tolerance = 0.05

// slip is the power of a thousand by which ratio misses one, when it does so
// within the factor give: a unit that was mistaken.
func slip(ratio, give float64) (thousands int, ok bool) {
	if ratio <= 0 || math.IsInf(ratio, 0) || math.IsNaN(ratio) {
		return 0, false
	}
	k := math.Round(math.Log10(ratio) / 3)
	off := math.Abs(math.Log(ratio) - k*math.Log(1000))
	return int(k), k != 0 && off <= math.Log(give)
}

// seconds prints a time in the unit in which it is easiest to read.
func seconds(s float64) string {
	if s < 1e-6 {
		return short(s*1e9) + " ns"
	}
	for _, u := range []struct {
		of   float64
		name string
	}{{1e-3, "µs"}, {1, "ms"}} {
		if s < u.of {
			return short(s/u.of*1e3) + " " + u.name
		}
	}
	if s > 600 {
		return (time.Duration(min(s, 1e9)) * time.Second).String()
	}
	return short(s) + " s"
}

// byteRate prints bytes per second.
func byteRate(v float64) string {
	for _, u := range []struct {
		of   float64
		name string
	}{{1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "KB/s"}} {
		if v >= u.of {
			return short(v/u.of) + " " + u.name
		}
	}
	return short(v) + " B/s"
}

// short prints three significant digits.
func short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e15 || a != 0 && a < 1e-6:
		return fmt.Sprintf("%.3g", v)
	case a >= 1000:
		return grouped(math.Round(v))
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	}
	return strconv.FormatFloat(mustParse(fmt.Sprintf("%.3g", v)), 'f', -1, 64)
}

func mustParse(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0
	}
	return v
}

// grouped prints a whole number in groups of three.
func grouped(v float64) string {
	s := strconv.FormatFloat(v, 'f', 0, 64)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// inUnit prints a value in the unit of the figure beside which it stands.
func inUnit(d Dimension, v float64) string {
	switch d {
	case Time, CPUTime:
		return seconds(v)
	case PerSecond:
		return short(v) + "/s"
	case ByteRate:
		return byteRate(v)
	case Percent:
		return short(v) + " %"
	}
	return short(v)
}

// percentOf prints a share.
func percentOf(share float64) string { return short(100*share) + " %" }
