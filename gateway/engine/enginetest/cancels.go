package enginetest

import (
	"fmt"
	"sync"
	"testing"
)

// cancelStories end clients at every point of a request and an answer, many at
// a time, so that the race detector sees each stage with its cancel.
var cancelStories = []story{
	{"clients that leave anywhere", func(t *testing.T, s *suite) {
		wire := framings()["chunk a frame"]
		r := s.newRig(t, func(p *peer) {
			for {
				if _, _, ok := p.request(); !ok {
					return
				}
				for i := 0; i < len(wire); i += 40 {
					if !p.send(wire[i:min(i+40, len(wire))]) {
						return
					}
				}
			}
		})
		const workers, rounds = 8, 25
		var wg sync.WaitGroup
		for w := range workers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for i := range rounds {
					c := dialAddr(t, r.addr)
					in := post(streamBody)
					cut := (w*rounds + i) * (len(in) + 400) / (workers * rounds)
					c.send(in[:min(cut, len(in))])
					if cut > len(in) { // and so many bytes of the answer
						buf := make([]byte, cut-len(in))
						c.br.Read(buf)
					}
					if i%2 == 0 {
						c.c.Close()
					} else {
						c.reset()
					}
				}
			}()
		}
		wg.Wait()
		r.requireSettled()
		c := r.dial()
		c.send(post(streamBody))
		if a := c.want(200); a.body != streamShown {
			t.Errorf("got %q", a.body)
		}
	}},
	{"many at once", func(t *testing.T, s *suite) {
		r := s.newRig(t, echoing)
		var wg sync.WaitGroup
		for w := range 16 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				c := dialAddr(t, r.addr)
				for i := range 50 {
					said := fmt.Sprintf("%d-%d", w, i)
					c.send(post(saying(said)))
					if a := c.read("POST"); a.body != `{"said":"`+said+`"}` {
						t.Errorf("got %q for %s", a.body, said)
						return
					}
				}
			}()
		}
		wg.Wait()
	}},
}
