package enginetest

import (
	"errors"
	"strings"
	"testing"
)

var errStore = errors.New("disk full")

func awaited(p *plan) { p.rows.hold = true }

var rowStories = []story{
	{"the answer does not end before its row is stored", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(framings()["chunk a frame"]), awaited)
		c := r.dial()
		c.send(post(streamBody))
		b := c.body()
		b.want(strings.Join(frames, ""))
		row := <-r.rows.held
		// The rest is asked for only now: had it been sent, it would be here.
		row.Stored(nil)
		b.want(doneFrame)
		b.wantEnd()
		c.send(post(plainBody))
		done := <-r.rows.held
		done.Stored(nil)
		c.want(200)
	}},
	{"an answer whose row is lost is not whole", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(framings()["chunk a frame"]), awaited)
		c := r.dial()
		c.send(post(streamBody))
		b := c.body()
		row := <-r.rows.held
		row.Stored(errStore)
		rest, err := b.rest()
		if err == nil && (!strings.Contains(rest, `"error"`) || strings.Contains(rest, "[DONE]")) {
			t.Errorf("the stream looks whole: %q", rest)
		}
	}},
	{"a plain answer whose row is lost is withheld", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer), awaited)
		c := r.dial()
		c.send(post(plainBody))
		row := <-r.rows.held
		row.Stored(errStore)
		c.wantError(503, "log_store_failed")
	}},
	{"a panic costs one connection", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		r.panics = 1
		r.rows.trap.Store(true)
		c := r.dial()
		c.send(post(plainBody))
		c.waitClosed()
		r.requireSettled()
		c = r.dial()
		c.send(post(plainBody))
		c.want(200)
	}},
	{"client leaves while its row is being stored", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer), awaited)
		c := r.dial()
		c.send(post(plainBody))
		row := <-r.rows.held
		c.reset()
		row.Stored(nil)
		r.requireSettled()
	}},
}
