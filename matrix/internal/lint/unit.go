package lint

import "strings"

// Dimension is what a number counts.
type Dimension uint8

// The dimensions that rules tell apart. Values are kept in the base unit.
const (
	Plain     Dimension = iota // no unit
	Time                       // seconds
	CPUTime                    // CPU seconds
	PerSecond                  // requests or operations per second
	Bytes                      // bytes
	ByteRate                   // bytes per second
	Ratio                      // a factor
	Percent                    // percent of something
	Tokens                     // tokens
)

type unit struct {
	dim   Dimension
	scale float64 // of one unit, in the base unit
}

// units by spelling. µ stands for both of its code points. Where upper and
// lower case differ in meaning (MB and Mb, M and m) only the spelling here
// counts; other words are also tried in lower case.
var units = map[string]unit{
	"ns": {Time, 1e-9}, "nsec": {Time, 1e-9}, "nanoseconds": {Time, 1e-9},
	"µs": {Time, 1e-6}, "us": {Time, 1e-6}, "µsec": {Time, 1e-6}, "usec": {Time, 1e-6}, "microseconds": {Time, 1e-6},
	"ms": {Time, 1e-3}, "msec": {Time, 1e-3}, "msecs": {Time, 1e-3}, "millis": {Time, 1e-3}, "milliseconds": {Time, 1e-3},
	"s": {Time, 1}, "sec": {Time, 1}, "secs": {Time, 1}, "second": {Time, 1}, "seconds": {Time, 1},
	"min": {Time, 60}, "minutes": {Time, 60},

	"cpu-ns": {CPUTime, 1e-9}, "cpu-µs": {CPUTime, 1e-6}, "cpu-us": {CPUTime, 1e-6}, "cpu-ms": {CPUTime, 1e-3},
	"cpu-ns/req": {CPUTime, 1e-9}, "cpu-µs/req": {CPUTime, 1e-6}, "cpu-us/req": {CPUTime, 1e-6}, "cpu-ms/req": {CPUTime, 1e-3},

	"rps": {PerSecond, 1}, "qps": {PerSecond, 1}, "req/s": {PerSecond, 1}, "reqs/s": {PerSecond, 1}, "req/sec": {PerSecond, 1},
	"request/s": {PerSecond, 1}, "requests/s": {PerSecond, 1}, "requests/sec": {PerSecond, 1}, "requests/second": {PerSecond, 1},
	"r/s": {PerSecond, 1}, "op/s": {PerSecond, 1}, "ops/s": {PerSecond, 1}, "ops/sec": {PerSecond, 1}, "ops/second": {PerSecond, 1},
	"calls/s": {PerSecond, 1}, "iter/s": {PerSecond, 1}, "/s": {PerSecond, 1},
	"req/min": {PerSecond, 1. / 60}, "requests/min": {PerSecond, 1. / 60}, "requests/minute": {PerSecond, 1. / 60}, "rpm": {PerSecond, 1. / 60},

	"B": {Bytes, 1}, "byte": {Bytes, 1}, "bytes": {Bytes, 1},
	"KB": {Bytes, 1e3}, "kB": {Bytes, 1e3}, "KiB": {Bytes, 1 << 10}, "MB": {Bytes, 1e6}, "MiB": {Bytes, 1 << 20},
	"GB": {Bytes, 1e9}, "GiB": {Bytes, 1 << 30}, "TB": {Bytes, 1e12},

	"B/s": {ByteRate, 1}, "KB/s": {ByteRate, 1e3}, "kB/s": {ByteRate, 1e3}, "KiB/s": {ByteRate, 1 << 10},
	"MB/s": {ByteRate, 1e6}, "MiB/s": {ByteRate, 1 << 20}, "GB/s": {ByteRate, 1e9}, "GiB/s": {ByteRate, 1 << 30}, "TB/s": {ByteRate, 1e12},
	"MB/sec": {ByteRate, 1e6}, "GB/sec": {ByteRate, 1e9}, "KB/sec": {ByteRate, 1e3},
	"kbit/s": {ByteRate, 125}, "Mbit/s": {ByteRate, 125e3}, "Gbit/s": {ByteRate, 125e6},
	"kbps": {ByteRate, 125}, "Mbps": {ByteRate, 125e3}, "Gbps": {ByteRate, 125e6}, "Mb/s": {ByteRate, 125e3}, "Gb/s": {ByteRate, 125e6},

	"x": {Ratio, 1}, "×": {Ratio, 1},
	"%":   {Percent, 1},
	"tok": {Tokens, 1}, "token": {Tokens, 1}, "tokens": {Tokens, 1},
}

// multipliers before a unit, or alone after a number.
var multipliers = map[string]float64{"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "thousand": 1e3, "million": 1e6, "mio": 1e6, "billion": 1e9}

func unitOf(word string) (unit, bool) {
	word = strings.ReplaceAll(word, "μ", "µ")
	if u, ok := units[word]; ok {
		return u, true
	}
	lower := strings.ToLower(word)
	u, ok := units[lower]
	return u, ok
}

// scaledUnit also knows a unit with a multiplier in front: "krps", "Mops/s".
func scaledUnit(word string) (scale float64, u unit, ok bool) {
	if u, ok := unitOf(word); ok {
		return 1, u, true
	}
	if m, ok := multipliers[word]; ok {
		return m, unit{Plain, 1}, true
	}
	if len(word) > 1 {
		if m, ok := multipliers[word[:1]]; ok {
			if u, ok := unitOf(word[1:]); ok && (u.dim == PerSecond || u.dim == Tokens) {
				return m, u, true
			}
		}
	}
	return 0, unit{}, false
}

// maxUnit bounds a unit's spelling, in bytes; the longest is far shorter.
const maxUnit = 24

// unitWord is the longest prefix of s that can spell a unit.
func unitWord(s string) string {
	s = s[:min(len(s), maxUnit)]
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if letter || r == 'µ' || r == 'μ' || r == '/' || r == '%' || r == '×' || r == '-' && strings.HasPrefix(strings.ToLower(s), "cpu-") {
			if (r == '%' || r == '×') && i > 0 {
				return s[:i]
			}
			if r == '%' || r == '×' {
				return s[:i+len(string(r))]
			}
			continue
		}
		return s[:i]
	}
	return s
}

// headingUnit is the unit that a column's heading names: "p50 (ms)",
// "toll p99 µs", "Requests/s".
func headingUnit(heading string) (unit, string, bool) {
	words := strings.FieldsFunc(heading, func(r rune) bool { return strings.ContainsRune(" \u00a0()[],:;", r) })
	// The last one counts, but a size or a time behind a rate qualifies it
	// ("MB/s at 10 KB"). Short words are units only at the end or in
	// parentheses.
	best := -1
	for i, w := range words {
		u, ok := unitOf(w)
		bare := w == "s" || w == "B" || w == "x" || w == "×" || strings.EqualFold(w, "min") || u.dim == Tokens
		if ok && (!bare || i > 0 && i == len(words)-1 || strings.Contains(heading, "("+w+")") || strings.Contains(heading, "["+w+"]")) {
			if best >= 0 && (u.dim == Bytes || u.dim == Time) {
				if b, _ := unitOf(words[best]); b.dim == PerSecond || b.dim == ByteRate || b.dim == CPUTime {
					continue
				}
			}
			best = i
		}
	}
	if best < 0 {
		return unit{}, "", false
	}
	u, _ := unitOf(words[best])
	return u, words[best], true
}
