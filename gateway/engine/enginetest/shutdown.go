package enginetest

import (
	"context"
	"errors"
	"net"
	"testing"
)

var shutdownStories = []story{
	{"shutdown lets what is in flight finish", func(t *testing.T, s *suite) {
		free := make(chan struct{})
		r := s.newRig(t, once(func(p *peer) { <-free; p.send(jsonAnswer); p.waitClosed() }))
		idle := r.dial()
		idle.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
		idle.want(200)
		busy := r.dial()
		busy.send(post(plainBody))
		<-r.up.conns
		ended := make(chan error, 1)
		go func() { ended <- r.eng.Shutdown(context.Background()) }()
		idle.wantClosed()
		r.eventually("new connections are refused", func() bool {
			c, err := net.Dial("tcp", r.addr)
			if err == nil {
				c.Close()
			}
			return err != nil
		})
		select {
		case err := <-ended:
			t.Errorf("Shutdown returned %v with a request in flight", err)
		default:
		}
		close(free)
		if a := busy.want(200); a.body != completion || !a.Close {
			t.Errorf("close %v body %q", a.Close, a.body)
		}
		busy.wantClosed()
		if err := <-ended; err != nil {
			t.Errorf("Shutdown: %v", err)
		}
	}},
	{"shutdown that runs out of time cancels", func(t *testing.T, s *suite) {
		asked, closed := make(chan struct{}), make(chan struct{})
		r := s.newRig(t, once(func(p *peer) { close(asked); p.waitClosed(); close(closed) }))
		c := r.dial()
		c.send(post(plainBody))
		<-asked
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := r.eng.Shutdown(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Shutdown: %v", err)
		}
		<-closed
		c.wantClosed()
		r.requireSettled()
	}},
}
