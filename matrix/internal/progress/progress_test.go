package progress

import (
	"strings"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	at := time.Unix(1000, 0)
	now := func() time.Time { return at }
	script := func(m *Meter) {
		m.Begin("streaming/conc=50", 0, 3, 90*time.Second)
		at = at.Add(4 * time.Second)
		m.Begin("workers/conc=100", 1, 3, 60*time.Second)
		m.Say("kept")
		at = at.Add(11 * time.Second)
		m.Begin("boot", 2, 3, 5*time.Second)
		m.End()
		m.Say("done")
	}
	for _, c := range []struct {
		story    string
		terminal bool
		want     string
	}{
		{
			"plain lines, not too many", false,
			"0/3  0:00 gone, about 1:30 left  streaming/conc=50\n" +
				"kept\n" +
				"2/3  0:15 gone, about 0:05 left  boot\n" +
				"done\n",
		},
		{
			"one line on a terminal, what is said stays above it", true,
			"0/3  0:00 gone, about 1:30 left  streaming/conc=50" + wipe(50) +
				"1/3  0:04 gone, about 1:00 left  workers/conc=100" + wipe(49) +
				"kept\n" +
				"1/3  0:04 gone, about 1:00 left  workers/conc=100" + wipe(49) +
				"2/3  0:15 gone, about 0:05 left  boot" + wipe(37) +
				"done\n",
		},
	} {
		t.Run(c.story, func(t *testing.T) {
			at = time.Unix(1000, 0)
			var b strings.Builder
			script(New(&b, c.terminal, 80, now))
			if got := b.String(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestLongLinesAreCut(t *testing.T) {
	var b strings.Builder
	m := New(&b, true, 40, func() time.Time { return time.Unix(0, 0) })
	m.Begin(strings.Repeat("x", 100), 1, 2, 0)
	if n := len(b.String()); n != 39 {
		t.Errorf("%d columns on a terminal of 40", n)
	}
}

func wipe(n int) string { return "\r" + strings.Repeat(" ", n) + "\r" }
