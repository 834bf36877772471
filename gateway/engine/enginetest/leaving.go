package enginetest

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// leaves is how a client ends its connection.
var leaves = map[string]func(c *client){
	"closing":   func(c *client) { c.c.Close() },
	"resetting": func(c *client) { c.reset() },
}

var leavingStories = []story{
	{"client sends a request and its end at once", func(t *testing.T, s *suite) {
		r := s.newRig(t, once(func(p *peer) { p.waitClosed() }))
		for range 20 { // request and end arrive together, or one after the other
			c := r.dial()
			c.send(post(plainBody))
			c.c.Close()
		}
		r.requireSettled()
	}},
	{"client leaves in the middle of a stream", func(t *testing.T, s *suite) {
		for name, leave := range leaves {
			t.Run(name, func(t *testing.T) {
				closed := make(chan struct{})
				r := s.newRig(t, once(func(p *peer) {
					p.send(chunkedHead, chunks(frames[0]+frames[1], 1000)[:len(frames[0]+frames[1])+6])
					p.waitClosed()
					close(closed)
				}))
				c := r.dial()
				c.send(post(streamBody))
				c.body().want(frames[0] + frames[1])
				leave(c)
				<-closed
				r.requireLeft()
			})
		}
	}},
	{"client leaves a stream that goes on", func(t *testing.T, s *suite) {
		closed := make(chan struct{})
		r := s.newRig(t, once(func(p *peer) {
			p.send(chunkedHead)
			for p.send(chunks(frames[1], 1000)[:len(frames[1])+6]) {
			}
			close(closed)
		}))
		c := r.dial()
		c.send(post(streamBody))
		c.body().want(frames[1] + frames[1])
		c.c.Close()
		<-closed
		r.requireLeft()
	}},
	{"client leaves while the upstream thinks", func(t *testing.T, s *suite) {
		for name, leave := range leaves {
			t.Run(name, func(t *testing.T) {
				got, closed := make(chan struct{}), make(chan struct{})
				r := s.newRig(t, once(func(p *peer) {
					close(got)
					p.waitClosed()
					close(closed)
				}))
				c := r.dial()
				c.send(post(plainBody))
				<-got
				leave(c)
				<-closed
				r.requireLeft()
			})
		}
	}},
	{"client leaves in the middle of its request", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		for _, in := range []string{post(plainBody), postChunked(plainBody, 10)} {
			c := r.dial()
			c.send(in[:len(in)-20])
			c.c.Close()
		}
		r.requireSettled()
		if n := r.rows.count(); n != 0 {
			t.Errorf("%d rows of requests that were not read whole", n)
		}
	}},
	{"client that stops reading", func(t *testing.T, s *suite) {
		closed := make(chan struct{})
		r := s.newRig(t, once(func(p *peer) {
			p.send(chunkedHead)
			for p.send(chunks(frames[1], 1000)[:len(frames[1])+6]) {
			}
			close(closed)
		}), limit(func(p *plan) { p.snapshot.Limits.WriteTimeoutNs = second / 5 }))
		c := r.dial()
		c.send(post(streamBody))
		<-closed
		r.requireLeft()
	}},
}

// requireLeft: the exchange settled as one whose client left.
func (r *rig) requireLeft() {
	r.t.Helper()
	r.eventually("a row", func() bool { return r.rows.count() == 1 })
	r.requireSettled()
	if row := r.rows.last(); row.Outcome != logrow.ClientLeft {
		r.t.Errorf("outcome %v, want client_left", row.Outcome)
	}
}
