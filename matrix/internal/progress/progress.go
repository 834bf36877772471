// Package progress tells people how far a run is: one line that is rewritten
// on a terminal, plain lines elsewhere.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Meter writes progress. Its methods may be called from several goroutines.
type Meter struct {
	mu       sync.Mutex
	w        io.Writer
	terminal bool
	width    int // columns of the terminal
	shown    int // characters of the line that is there now
	now      func() time.Time
	started  time.Time
	last     time.Time // plain lines: when one was last written

	done, total int
	left        time.Duration
	cell        string
}

// plainEvery is the least time between two plain lines of progress, so that a
// log of CI stays readable.
const plainEvery = 10 * time.Second

// New writes to w. terminal says whether w is one, width its columns.
func New(w io.Writer, terminal bool, width int, now func() time.Time) *Meter {
	if width < 40 {
		width = 80
	}
	return &Meter{w: w, terminal: terminal, width: width, now: now, started: now()}
}

// Say writes a line that stays.
func (m *Meter) Say(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.erase()
	fmt.Fprintf(m.w, format+"\n", args...)
	m.draw()
}

// Begin says that a cell has begun, done of total are through and about left
// remains.
func (m *Meter) Begin(cell string, done, total int, left time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cell, m.done, m.total, m.left = cell, done, total, left
	if m.terminal {
		m.erase()
		m.draw()
		return
	}
	if t := m.now(); m.last.IsZero() || t.Sub(m.last) >= plainEvery {
		m.last = t
		fmt.Fprintln(m.w, m.text())
	}
}

// End takes the line of progress away.
func (m *Meter) End() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.erase()
	m.total = 0
}

func (m *Meter) text() string {
	elapsed := m.now().Sub(m.started)
	return fmt.Sprintf("%d/%d  %s gone, about %s left  %s", m.done, m.total, clock(elapsed), clock(m.left), m.cell)
}

func (m *Meter) draw() {
	if !m.terminal || m.total == 0 {
		return
	}
	s := m.text()
	if len(s) >= m.width {
		s = s[:m.width-1]
	}
	fmt.Fprint(m.w, s)
	m.shown = len(s)
}

func (m *Meter) erase() {
	if m.terminal && m.shown > 0 {
		fmt.Fprint(m.w, "\r"+strings.Repeat(" ", m.shown)+"\r")
		m.shown = 0
	}
}

// clock is a duration as minutes and seconds.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
