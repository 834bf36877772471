package accounts

import "sync/atomic"

// MaxPerMinute is the highest rate limit: above it the interval between two
// units is too few nanoseconds to be exact (at 1e9 it is 60 ns).
const MaxPerMinute = 1_000_000_000

const minuteNs = 60_000_000_000

// rate is one limit per minute, as GCRA: a word holds the theoretical arrival
// time (TAT), the Unix ns at which the bucket will be full again. Source: ITU-T
// I.371, appendix I.
type rate struct {
	limit    int64 // units per minute; 0: no limit
	interval int64 // ns that one unit takes to refill, rounded up: the rate is never passed
	window   int64 // ns to refill all: limit × interval, so that a full bucket holds exactly limit
}

func perMinute(limit int64) rate {
	if limit == 0 {
		return rate{}
	}
	interval := (minuteNs + limit - 1) / limit
	return rate{limit: limit, interval: interval, window: limit * interval}
}

// since bounds the TAT as seen at now: not before now (a full bucket gets no
// fuller), not more than two windows ahead (a clock that was set back, or a
// request that used far more than was estimated, must not lock a key for days).
func (g rate) since(tat, now int64) int64 {
	return min(max(tat, now), now+2*g.window)
}

// take takes n units, or none. retryNs is the wait after which n units would
// be there; 0 with ok false: they never will, n is more than the limit.
func (g rate) take(word *int64, now, n int64) (retryNs int64, ok bool) {
	if n > g.limit {
		return 0, false
	}
	for {
		tat := atomic.LoadInt64(word)
		next := g.since(tat, now) + n*g.interval
		if over := next - now - g.window; over > 0 {
			return over, false
		}
		if atomic.CompareAndSwapInt64(word, tat, next) {
			return 0, true
		}
	}
}

// give puts n units back.
func (g rate) give(word *int64, n int64) { atomic.AddInt64(word, -n*g.interval) }

// takeMore takes n units that are already used, whatever the limit says.
func (g rate) takeMore(word *int64, now, n int64) {
	ns := min(n, 2*g.limit) * g.interval // more than since would keep anyway
	for {
		tat := atomic.LoadInt64(word)
		if atomic.CompareAndSwapInt64(word, tat, g.since(g.since(tat, now)+ns, now)) {
			return
		}
	}
}

// left is the whole units in the bucket and the time until it is full.
func (g rate) left(word *int64, now int64) (units, resetNs int64) {
	if g.limit == 0 {
		return 0, 0
	}
	resetNs = g.since(atomic.LoadInt64(word), now) - now
	return max(0, (g.window-resetNs)/g.interval), resetNs
}
