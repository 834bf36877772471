package accounts

import (
	"fmt"
	"time"
)

// Period is how long a budget lasts. Periods begin at midnight UTC.
type Period int

const (
	Total Period = iota // for ever
	Day
	Month
)

var periodNames = [...]string{Total: "total", Day: "day", Month: "month"}

func (p Period) String() string { return periodNames[p] }

// ParsePeriod reads total, day or month.
func ParsePeriod(s string) (Period, error) {
	for p, name := range periodNames {
		if s == name {
			return Period(p), nil
		}
	}
	return 0, fmt.Errorf("unknown period %q: want total, day or month", s)
}

// RetryTotal is the Retry-After of a spent budget that never renews. Waiting
// does not help, an operator does; a day keeps clients that retry from hammering
// until one has.
const RetryTotal = 24 * time.Hour

// RetryHeld is the Retry-After when the budget has room and only reservations of
// requests in flight fill it: they end soon.
const RetryHeld = time.Second

const dayNs = int64(24 * time.Hour)

// number is the period that now (Unix ns) lies in, and when the next begins; 0
// for Total.
func (p Period) number(now int64) (n, nextNs int64) {
	switch p {
	case Day:
		d := now / dayNs
		return d, (d + 1) * dayNs
	case Month:
		t := time.Unix(0, now).UTC()
		next := time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		return int64(t.Year())*12 + int64(t.Month()), next.UnixNano()
	}
	return 0, 0
}
