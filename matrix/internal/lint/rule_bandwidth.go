package lint

import (
	"fmt"
	"math"
)

const ruleBandwidth = "bytes-per-time"

// bandwidthGive is how far bytes ÷ time may miss the quoted rate: heads that
// one of them counts and the other does not.
const bandwidthGive = 0.15

// bandwidthTables: a rate of bytes is bytes ÷ time.
func bandwidthTables(d *Document) []Finding {
	return d.eachRow(func(t *Table, r *Row) []Finding {
		rate, ok := t.only(Bandwidth)
		if !ok {
			return nil
		}
		size, ok := t.only(Size)
		if !ok {
			return nil
		}
		b, okB := r.of(rate, ByteRate)
		n, okN := r.of(size, Bytes)
		if !okB || !okN || b.Value <= 0 || n.Value <= 0 {
			return nil
		}
		if x, ok := t.only(Rate); ok {
			if q, ok := r.of(x, PerSecond); ok && q.Value > 0 {
				return carried(r, size, x, rate, n, q, b)
			}
			return nil
		}
		if c, _, ok := r.inFlight(); ok && c != 1 {
			return nil // many at once: one request's time is not the rate's
		}
		at, ok := timeOfOne(t)
		if !ok {
			return nil
		}
		s, ok := r.of(at, Time)
		if !ok || s.Value <= 0 {
			return nil
		}
		return quoted(r, size, at, rate, n, s, b)
	})
}

// timeOfOne is the column with the time of one operation: the only one, or
// the mean.
func timeOfOne(t *Table) (int, bool) {
	if i, ok := t.only(Latency); ok {
		return i, t.Columns[i].Stat != Max && t.Columns[i].P <= 50
	}
	found := -1
	for _, i := range t.Is(Latency) {
		if t.Columns[i].Stat == Mean {
			if found >= 0 {
				return 0, false
			}
			found = i
		}
	}
	return found, found >= 0
}

func quoted(r *Row, size, at, rate int, n, s, b Quantity) []Finding {
	// KB is a thousand bytes or 1024: either reading may agree.
	low := n.Low / s.Hi() * (1 - bandwidthGive)
	high := n.High * 1.024 / max(s.Lo(), math.SmallestNonzeroFloat64) * (1 + bandwidthGive)
	if b.Hi() >= low && b.Lo() <= high {
		return nil
	}
	is := n.Value / s.Value
	f := r.finding(ruleBandwidth, rate)
	f.Read = r.read(size, at, rate)
	f.Why = fmt.Sprintf("%s bytes in %s are %s", short(n.Value), seconds(s.Value), byteRate(is))
	f.Fits = byteRate(is)
	if k, ok := slip(is/b.Value, 1.3); ok {
		f.Why += fmt.Sprintf(", %s times as much", grouped(math.Pow(1000, math.Abs(float64(k)))))
		if k < 0 {
			f.Why = fmt.Sprintf("%s bytes in %s are %s, a %sth of it", short(n.Value), seconds(s.Value), byteRate(is), grouped(math.Pow(1000, math.Abs(float64(k)))))
		}
	}
	return []Finding{f}
}

// carried compares requests per second times their size with the rate. The
// rate may count heads and both directions, so only a unit slip is a finding.
func carried(r *Row, size, x, rate int, n, q, b Quantity) []Finding {
	is := n.Value * q.Value
	if _, ok := slip(is/b.Value, 3); !ok {
		return nil
	}
	f := r.finding(ruleBandwidth, rate)
	f.Read = r.read(size, x, rate)
	f.Why = fmt.Sprintf("%s times %s bytes are %s", inUnit(PerSecond, q.Value), short(n.Value), byteRate(is))
	f.Fits = byteRate(is)
	return []Finding{f}
}
