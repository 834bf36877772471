package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Dollars is an amount of money or a price in nano-dollars (1e-9 dollars), read
// from and written as a decimal number of dollars, exactly.
type Dollars int64

const dollar Dollars = 1_000_000_000

// maxDollars bounds whole dollars, so that nano-dollars fit into int64.
const maxDollars = 9_000_000_000

// ParseDollars reads "12", "0.5" or "12.345678901": up to nine decimals, no
// sign, no exponent.
func ParseDollars(s string) (Dollars, error) {
	whole, frac, point := strings.Cut(s, ".")
	if !digits(whole) || point && !digits(frac) {
		return 0, fmt.Errorf("want dollars as a decimal number such as \"2.50\", got %q", s)
	}
	if len(frac) > 9 {
		return 0, fmt.Errorf("want at most nine decimals (nano-dollars), got %q", s)
	}
	d, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || d > maxDollars {
		return 0, fmt.Errorf("want at most %d dollars, got %q", int64(maxDollars), s)
	}
	n, err := strconv.ParseInt((frac + "000000000")[:9], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read decimals of %q: %w", s, err)
	}
	return Dollars(d)*dollar + Dollars(n), nil
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func (d Dollars) String() string {
	s := fmt.Sprintf("%d.%09d", int64(d/dollar), int64(d%dollar))
	s = strings.TrimRight(s, "0")
	if at := strings.IndexByte(s, '.'); len(s)-at-1 < 2 {
		s += "00"[:2-(len(s)-at-1)]
	}
	return s
}

// Size is a number of bytes, read from and written as "16MiB".
type Size int64

const (
	kib Size = 1 << 10
	mib Size = 1 << 20
	gib Size = 1 << 30
)

var sizeUnits = []struct {
	name  string
	bytes Size
}{{"GiB", gib}, {"MiB", mib}, {"KiB", kib}, {"B", 1}, {"", 1}}

// ParseSize reads a whole number of B, KiB, MiB or GiB; without unit, of bytes.
func ParseSize(s string) (Size, error) {
	for _, u := range sizeUnits {
		number, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 0 || n > 1<<40/int64(u.bytes) {
			break
		}
		return Size(n) * u.bytes, nil
	}
	return 0, fmt.Errorf("want a size such as \"16MiB\" (B, KiB, MiB or GiB, at most 1024GiB), got %q", s)
}

func (s Size) String() string {
	for _, u := range sizeUnits {
		if s >= u.bytes && s%u.bytes == 0 {
			return strconv.FormatInt(int64(s/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10) + "B"
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("want a duration such as \"30s\" (ms, s, m or h), got %q", s)
	}
	return d, nil
}

// formatDuration leaves out the zero parts that time.Duration writes: 10m, not
// 10m0s.
func formatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func parseInt(s string) (int64, error) {
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("want a whole number, got %q", s)
	}
	return n, nil
}

func parseBool(s string) (bool, error) {
	switch s {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("want true or false, got %q", s)
}
