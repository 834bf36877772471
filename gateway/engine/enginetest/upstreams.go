package enginetest

import (
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// once is the script that reads a request and then does something.
func once(then func(p *peer)) script {
	return func(p *peer) {
		if _, _, ok := p.request(); ok {
			then(p)
		}
	}
}

// provider changes the only provider.
func provider(f func(p *plan)) func(*plan) { return f }

var upstreamStories = []story{
	{"dead upstream", func(t *testing.T, s *suite) {
		// A port that was free a moment ago may be taken by a story beside this
		// one; nobody listens on port 1.
		r := s.newRig(t, answering(jsonAnswer), provider(func(p *plan) { p.snapshot.Providers[0].Endpoint.Host = "127.0.0.1:1" }))
		c := r.dial()
		c.send(post(plainBody))
		c.wantError(502, "upstream_unreachable")
		r.eventually("a row", func() bool { return r.rows.count() == 1 })
		if row := r.rows.last(); row.Outcome != logrow.GatewayError {
			t.Errorf("row %+v", row)
		}
	}},
	{"upstream that never answers", func(t *testing.T, s *suite) {
		closed := make(chan struct{})
		r := s.newRig(t, once(func(p *peer) { p.waitClosed(); close(closed) }),
			provider(func(p *plan) { p.snapshot.Providers[0].HeadTimeoutNs = second / 10 }))
		c := r.dial()
		c.send(post(plainBody))
		c.wantError(504, "upstream_timeout")
		<-closed
	}},
	{"upstream that stalls in the body", func(t *testing.T, s *suite) {
		r := s.newRig(t, once(func(p *peer) {
			p.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
			p.waitClosed()
		}), provider(func(p *plan) { p.snapshot.Providers[0].BodyTimeoutNs = second / 10 }))
		c := r.dial()
		c.send(post(plainBody))
		if a := c.read("POST"); a.err == nil {
			t.Errorf("the answer looks whole: %q", a.body)
		}
		c.wantClosed()
	}},
	{"upstream that closes before the head", func(t *testing.T, s *suite) {
		r := s.newRig(t, once(func(p *peer) {}))
		c := r.dial()
		c.send(post(plainBody))
		c.wantError(502, "upstream_reset")
	}},
	{"upstream that resets in the middle of a stream", func(t *testing.T, s *suite) {
		go1 := make(chan struct{})
		r := s.newRig(t, once(func(p *peer) {
			p.send(chunkedHead, chunks(frames[0]+frames[1], 1000)[:len(frames[0]+frames[1])+6])
			<-go1
			p.reset()
		}))
		c := r.dial()
		c.send(post(streamBody))
		b := c.body()
		b.want(frames[0] + frames[1])
		close(go1)
		rest, err := b.rest()
		if err == nil && !strings.Contains(rest, `"error"`) {
			t.Errorf("the stream looks whole: %q", rest)
		}
		if strings.Contains(rest, "[DONE]") {
			t.Errorf("a terminator that the upstream did not send: %q", rest)
		}
		r.eventually("a row", func() bool { return r.rows.count() == 1 })
		if row := r.rows.last(); row.Outcome != logrow.GatewayError {
			t.Errorf("row %+v", row)
		}
	}},
	{"upstream that ends a plain body early", func(t *testing.T, s *suite) {
		sent := make(chan struct{})
		r := s.newRig(t, once(func(p *peer) {
			p.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"a\":")
			<-sent
		}))
		c := r.dial()
		c.send(post(plainBody))
		b := c.body()
		b.want(`{"a":`)
		close(sent)
		if rest, err := b.rest(); err == nil {
			t.Errorf("the answer looks whole: %q", rest)
		}
		c.wantClosed()
	}},
	{"upstream that speaks something else", func(t *testing.T, s *suite) {
		r := s.newRig(t, once(func(p *peer) { p.send("SSH-2.0-x\r\n"); p.waitClosed() }))
		c := r.dial()
		c.send(post(plainBody))
		c.wantError(502, "upstream_malformed")
	}},
	{"upstream whose connection died while idle", func(t *testing.T, s *suite) {
		r := s.newRig(t, once(func(p *peer) { p.send(jsonAnswer) }))
		c := r.dial()
		for range 3 {
			c.send(post(plainBody))
			if a := c.read("POST"); a.StatusCode != 200 && a.StatusCode != 502 {
				t.Errorf("status %d", a.StatusCode)
			}
		}
		r.eventually("three rows", func() bool { return r.rows.count() == 3 })
	}},
	{"connection limit of the endpoint", func(t *testing.T, s *suite) {
		free := make(chan struct{})
		r := s.newRig(t, once(func(p *peer) { <-free; p.send(jsonAnswer); p.waitClosed() }),
			provider(func(p *plan) { p.snapshot.Providers[0].Endpoint.MaxConns = 1 }))
		first, second := r.dial(), r.dial()
		first.send(post(plainBody))
		<-r.up.conns
		second.send(post(plainBody))
		second.wantError(503, "upstream_overloaded")
		close(free)
		first.want(200)
	}},
}
