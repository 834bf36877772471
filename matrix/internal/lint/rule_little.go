package lint

import (
	"fmt"
	"regexp"
	"strings"
)

// Little's law: in a closed loop, throughput times the mean time of a request
// is the number of requests in flight.
const ruleLittle = "littles-law"

// Unit slips show where two figures that must agree differ by a power of a
// thousand.
const ruleUnits = "unit-magnitude"

var (
	concInText = regexp.MustCompile(`(?i)(?:\bc|\bconc|\bconcurrency|-c)\s?[= ]\s?(\d[\d,]*)\b|\b(\d[\d,]*) (?:in flight|connections|concurrent|clients)\b`)
	openLoop   = regexp.MustCompile(`(?i)\bopen[- ]loop\b|\bconstant (arrival )?rate\b|\bpoisson\b|\barrivals\b`)
)

// inFlight is the closed loop's size in a row: from its column, or from the
// words that name the row.
func (r *Row) inFlight() (n float64, column int, ok bool) {
	t := r.table
	if len(t.Is(Offered)) > 0 || t.Section.openLoop() {
		return 0, 0, false
	}
	if i, ok := t.only(Concurrency); ok {
		q, ok := r.Figure(i)
		return q.Value, i, ok && q.Dim == Plain && q.Value > 0
	}
	for i, c := range t.Columns {
		if !c.Key {
			continue
		}
		if m := concInText.FindStringSubmatch(r.Cells[i].Text); m != nil {
			if q, ok := ParseQuantity(m[1] + m[2]); ok && q.Value > 0 {
				return q.Value, i, true
			}
		}
	}
	return 0, 0, false
}

func (s *Section) openLoop() bool { return once(s, "open loop", s.saysOpenLoop) }

func (s *Section) saysOpenLoop() bool {
	if openLoop.MatchString(s.Heading) {
		return true
	}
	for _, p := range s.Prose {
		if openLoop.MatchString(p.Text) && !strings.Contains(strings.ToLower(p.Text), "closed loop") {
			return true
		}
	}
	return false
}

// clean reports whether the row's requests all succeeded, as far as it says:
// throughput counts answers, and failed requests are in flight too.
func (r *Row) clean() bool {
	for _, i := range r.table.Is(Share) {
		q, ok := r.of(i, Percent)
		failed := containsAny(r.table.Columns[i].Name, "error", "fail")
		if ok && (failed && q.Value > 1 || !failed && q.Value < 99) {
			return false
		}
	}
	for _, i := range r.table.Is(Failures) {
		if q, ok := r.Figure(i); ok && q.Value > 0 {
			return false
		}
	}
	return true
}

func littleTables(d *Document) []Finding {
	return d.eachRow(func(t *Table, r *Row) []Finding {
		n, at, ok := r.inFlight()
		if !ok || !r.clean() {
			return nil
		}
		if f, ok := littleProduct(r, n, at); ok {
			return f
		}
		rate, ok := t.only(Rate)
		if !ok {
			return nil
		}
		x, ok := r.of(rate, PerSecond)
		if !ok || x.Value <= 0 {
			return nil
		}
		if mean, ok := r.mean(); ok {
			return littleMean(r, n, at, rate, mean, x)
		}
		return littleBounds(r, n, at, rate, x)
	})
}

// mean is the row's column of mean service time.
func (r *Row) mean() (int, bool) {
	found := -1
	for _, i := range r.table.Is(Latency) {
		c := &r.table.Columns[i]
		if c.Stat != Mean || c.Group != "" {
			continue
		}
		if q, ok := r.of(i, Time); !ok || q.Value <= 0 || found >= 0 {
			return 0, false
		}
		found = i
	}
	return found, found >= 0
}

// littleProduct checks a column that holds the product itself. A cell that
// says that it is off ("47 (≠ 50)") has said it.
func littleProduct(r *Row, n float64, at int) ([]Finding, bool) {
	i, ok := r.table.only(Product)
	if !ok {
		return nil, false
	}
	q, ok := r.Figure(i)
	if !ok {
		return nil, true
	}
	if strings.Contains(r.Cells[i].Text, "≠") || q.MostRun() >= n*(1-Tolerance) && q.LeastRun() <= n*(1+Tolerance) {
		return nil, true
	}
	f := r.finding(ruleLittle, i)
	f.Read = r.read(at, i)
	f.Why = "throughput times the mean time of a request is the number in flight; this is more than 5 % from it, and the cell does not say so"
	f.Fits = fmt.Sprintf("%s ± 5 %%", short(n))
	return []Finding{f}, true
}

func littleMean(r *Row, n float64, at, rate, mean int, x Quantity) []Finding {
	m, _ := r.of(mean, Time)
	least, most := x.LeastRun()*m.LeastRun(), x.MostRun()*m.MostRun()
	if least <= n*(1+Tolerance) && most >= n*(1-Tolerance) {
		return nil
	}
	product := x.Value * m.Value
	f := r.finding(ruleLittle, rate)
	f.Read = r.read(at, rate, mean)
	f.Why = fmt.Sprintf("%s × %s = %s requests in flight, but %s were", inUnit(PerSecond, x.Value), seconds(m.Value), short(product), short(n))
	f.Fits = fmt.Sprintf("a mean of %s, or %s", seconds(n/x.Value), inUnit(PerSecond, n/m.Value))
	if _, ok := slip(product/n, 1.25); ok {
		f.Rule = ruleUnits
		f.Column = r.table.Columns[mean].Name
		f.Fits += "; the unit of one of them is likely mistaken"
	}
	return []Finding{f}
}

// littleBounds does without a mean: percentiles bound it from below, and with
// the largest value from above.
func littleBounds(r *Row, n float64, at, rate int, x Quantity) []Finding {
	d := r.distribution("", Latency)
	low, lowAt, ok := d.leastMean()
	if !ok || d.points[0].q.Dim != Time {
		return nil
	}
	least, most := n/x.MostRun(), n/x.LeastRun()
	f := r.finding(ruleLittle, rate)
	high, highAt, bounded := d.mostMean()
	switch {
	case x.LeastRun() > 0 && most*(1+Tolerance) < low:
		f.Read = r.read(at, rate, lowAt)
		f.Why = fmt.Sprintf("%s in flight at %s leave %s for a request in the mean, less than its percentiles allow", short(n), inUnit(PerSecond, x.Value), seconds(n/x.Value))
		f.Fits = fmt.Sprintf("at most %s", inUnit(PerSecond, n/low))
	case bounded && least*(1-Tolerance) > high:
		f.Read = r.read(at, rate, highAt)
		f.Why = fmt.Sprintf("%s in flight at %s take %s for a request in the mean, more than its percentiles and its maximum allow", short(n), inUnit(PerSecond, x.Value), seconds(n/x.Value))
		f.Fits = fmt.Sprintf("at least %s", inUnit(PerSecond, n/high))
	default:
		return nil
	}
	if q, ok := r.of(lowAt, Time); ok {
		if _, ok := slip(n/x.Value/q.Value, 3); ok {
			f.Rule = ruleUnits
			f.Column = r.table.Columns[lowAt].Name
			f.Fits += "; the unit of one of them is likely mistaken"
		}
	}
	return []Finding{f}
}
