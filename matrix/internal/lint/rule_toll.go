package lint

import "time"

const ruleToll = "toll-near-40ms"

// delayedFrom and delayedTo hold the toll of one delayed acknowledgement:
// Linux waits 40 ms at least (TCP_DELACK_MIN in its include/net/tcp.h), and
// the rest of the toll comes on top.
const (
	delayedFrom = 39 * time.Millisecond
	delayedTo   = 46 * time.Millisecond
	// stallFactor tells a stall of some requests from a long queue: of a queue
	// p99 is a few times p50.
	stallFactor = 10
)

// nearDelay reports whether a toll looks like a delayed acknowledgement.
// typical is the median of the same distribution, 0 when it is not known.
func nearDelay(toll, typical float64) bool {
	if toll < delayedFrom.Seconds() || toll > delayedTo.Seconds() {
		return false
	}
	return typical == 0 || toll == typical || toll >= stallFactor*typical
}

func tollHint(f Finding) Finding {
	f.Hint = true
	f.Why = "near 40 ms it is seldom work: Nagle's algorithm holds a small write back until the other side's delayed acknowledgement"
	f.Fits = "TCP_NODELAY on every hop, then measured again"
	return f
}

// tollTables points at tolls near 40 ms.
func tollTables(d *Document) []Finding {
	return d.eachRow(func(t *Table, r *Row) (out []Finding) {
		for _, i := range t.Is(Toll) {
			q, ok := r.of(i, Time)
			if !ok || r.floor() {
				continue
			}
			c := &t.Columns[i]
			typical := 0.0
			for _, p := range r.distribution(c.Group, Toll).points {
				if p.p == 50 && p.q.Dim == Time {
					typical = p.q.Value
				}
			}
			// A high percentile alone may be a queue.
			if c.Stat == Max || c.Stat == Percentile && c.P > 50 && typical == 0 {
				continue
			}
			if nearDelay(q.Value, typical) {
				f := r.finding(ruleToll, i)
				f.Read = r.read(i)
				out = append(out, tollHint(f))
			}
		}
		return out
	})
}
