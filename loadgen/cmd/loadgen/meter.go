package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tollgate-lab/tollgate/loadgen"
)

// plainEvery is the time between two progress lines when they are not
// overwritten.
const plainEvery = 5 * time.Second

// meter shows progress: one line over and over on a terminal, else a line now
// and then.
type meter struct {
	w        io.Writer
	terminal bool
	shown    bool
	next     time.Duration
}

func newMeter(w io.Writer) *meter { return &meter{w: w, terminal: isTerminal(w), next: plainEvery} }

// isTerminal reports whether w is a character device: a terminal, or close
// enough to one for a line that returns to its start.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// unless gives the callback for loadgen.Run, nil when quiet.
func (m *meter) unless(quiet bool) func(loadgen.Progress) {
	if quiet {
		return nil
	}
	return m.show
}

func (m *meter) show(p loadgen.Progress) {
	line := progressLine(p)
	if m.terminal {
		fmt.Fprintf(m.w, "\r\x1b[K%s", line)
		m.shown = true
		return
	}
	if p.Elapsed >= m.next {
		m.next = p.Elapsed + plainEvery
		fmt.Fprintln(m.w, line)
	}
}

// end clears the line, so that what follows starts at its beginning.
func (m *meter) end() {
	if m.shown {
		fmt.Fprint(m.w, "\r\x1b[K")
	}
}

func progressLine(p loadgen.Progress) string {
	if p.Warmup {
		return "warming up"
	}
	line := fmt.Sprintf("%d", p.Done)
	if p.Total > 0 {
		line += fmt.Sprintf("/%d", p.Total)
	}
	line += " requests"
	if s := p.Elapsed.Seconds(); s > 0 {
		line += fmt.Sprintf(", %.0f/s, %.1f s", float64(p.Done)/s, s)
	}
	if p.Duration > 0 {
		line += fmt.Sprintf(" of %v", p.Duration)
	}
	if p.Failed > 0 {
		line += fmt.Sprintf(", %d failed", p.Failed)
	}
	return line
}
