package compare

import (
	"strings"
	"testing"
	"time"
)

func TestSlowClientsAreJudged(t *testing.T) {
	const n = 3
	good := []time.Duration{slowHeadTimeout, slowHeadTimeout + 50*time.Millisecond, slowHeadTimeout + 90*time.Millisecond}
	seen := func() Slow { return Slow{RSSBefore: 20 << 20, RSSPeak: 21 << 20, UpstreamOut: 10, Offered: 100} }
	for _, c := range []struct {
		story  string
		closed []time.Duration
		lost   int64
		change func(*Slow)
		want   string
	}{
		{"all is well", good, 0, func(*Slow) {}, ""},
		{"a head was closed too soon", append([]time.Duration{time.Second}, good[1:]...), 0, func(*Slow) {}, "heads were closed after 1s to"},
		{"a head was closed too late", append(good[:2:2], time.Minute), 0, func(*Slow) {}, "the limit is 5s"},
		{"a head stays open", good[:2], 0, func(*Slow) {}, "2 of 3 heads were closed"},
		{"no head was closed", nil, 0, func(*Slow) {}, "0 of 3 heads were closed"},
		{"a reader lost its stream", good, 1, func(*Slow) {}, "1 readers lost their stream"},
		{"memory without bound", good, 0, func(s *Slow) { s.RSSPeak = s.RSSBefore + n*slowClientBytes + 1 }, "the bound is 21 MB"},
		{"the upstream is read whatever the reader takes", good, 0, func(s *Slow) { s.UpstreamOut = s.Offered }, "was never held back"},
	} {
		s := seen()
		c.change(&s)
		s.judge(c.closed, n, c.lost)
		if got := strings.Join(s.Faults, "; "); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", c.story, got, c.want)
		}
	}
}
