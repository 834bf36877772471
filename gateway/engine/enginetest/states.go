package enginetest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// aloneStories count what the process holds, so nothing runs beside them.
var aloneStories = []story{
	{"leaving and dying at every state", func(t *testing.T, s *suite) {
		everyState := func(rounds int, durable bool) func(t *testing.T) {
			return func(t *testing.T) { s.everyState(t, rounds, durable) }
		}
		t.Run("once, for what a process opens only once", everyState(1, true))
		first := census()
		t.Run("rows stored behind the answer", everyState(6, false))
		t.Run("rows stored before its end", everyState(6, true))
		now := census()
		eventually(t, "the engine has left nothing", func() bool {
			now = census()
			return now.within(first)
		})
		if !now.within(first) {
			stacks := make([]byte, 1<<20)
			t.Errorf("%+v, before %+v\n%s", now, first, stacks[:runtime.Stack(stacks, true)])
		}
	}},
}

// holdings is what a process has.
type holdings struct{ goroutines, descriptors int }

func (h holdings) within(first holdings) bool {
	return h.goroutines <= first.goroutines && h.descriptors <= first.descriptors
}

func census() holdings {
	h := holdings{goroutines: runtime.NumGoroutine()}
	for _, dir := range []string{"/proc/self/fd", "/dev/fd"} {
		if list, err := os.ReadDir(dir); err == nil {
			h.descriptors = len(list)
			return h
		}
	}
	return h // a system that does not tell
}

// A departure brings a client to a state of its exchange that can be observed,
// and reports whether it got there. What happens next is the client's end.
type departure struct {
	state string
	when  rowsOf
	reach func(c *client, sc *scene, id string) error
}

// rowsOf is how the log's rows go with answers.
type rowsOf int

const (
	either rowsOf = iota
	behind        // a row is handed over, and nobody waits for it
	before        // the answer's end waits until its row is stored
)

var departures = []departure{
	{"connected", either, func(*client, *scene, string) error { return nil }},
	{"mid head", either, func(c *client, _ *scene, id string) error {
		next := asking(actEcho, id)
		c.send(asking(actEcho, id), next[:40]) // the engine has read both when it answers the first
		return c.wantEcho(id)
	}},
	{"mid body", either, func(c *client, _ *scene, id string) error {
		next := asking(actEcho, id)
		c.send(asking(actEcho, id) + next[:len(next)-20])
		return c.wantEcho(id)
	}},
	{"mid chunk", either, func(c *client, _ *scene, id string) error {
		next := postChunked(saying(said(id)), 100)
		c.send(asking(actEcho, id) + next[:len(next)-50])
		return c.wantEcho(id)
	}},
	{"body asked for", either, func(c *client, _ *scene, id string) error {
		in := asking(actEcho, id, "Expect: 100-continue\r\n")
		head, _, _ := strings.Cut(in, "\r\n\r\n")
		c.send(head + "\r\n\r\n")
		return c.wantBytes("HTTP/1.1 100 Continue\r\n\r\n")
	}},
	{"refused, its body unread", either, func(c *client, _ *scene, id string) error {
		in := strings.Replace(asking(actDieSend, id), token, "nobody", 1)
		c.send(in[:len(in)/2])
		a, err := c.response()
		if err != nil || a.StatusCode != 401 {
			return fmt.Errorf("%+v, %w, want status 401", a, err)
		}
		return nil
	}},
	{"upstream thinks", either, func(c *client, sc *scene, id string) error {
		c.send(asking(actHang, id))
		return sc.await(id)
	}},
	{"mid answer", behind, // else it is withheld
		func(c *client, sc *scene, id string) error {
			c.send(asking(actHalf, id))
			if err := sc.await(id); err != nil {
				return err
			}
			return c.wantStart(echoOf(id)[:len(echoOf(id))/2])
		}},
	{"mid stream", either, func(c *client, sc *scene, id string) error {
		c.send(asking(actDrip, id))
		if err := sc.await(id); err != nil {
			return err
		}
		return c.wantStart(flowOf(id)[0])
	}},
	{"answer waits for its row", before, func(c *client, sc *scene, id string) error {
		c.send(asking(actEcho, holding+id))
		return sc.await(holding + id)
	}},
	{"stream's end waits for its row", before, func(c *client, sc *scene, id string) error {
		c.send(asking(actFlow, holding+id))
		if err := sc.await(holding + id); err != nil {
			return err
		}
		return c.wantStart(flowOf(holding + id)[0])
	}},
	{"kept alive", either, func(c *client, _ *scene, id string) error {
		c.send(asking(actEcho, id))
		return c.wantEcho(id)
	}},
}

// deaths are the ends of an upstream, with what its client must see.
var deaths = []struct {
	act  string
	want func(id string, a answer) error
}{
	{actDie, wantStatus(502)},
	{actDieSend, wantStatus(502)},
	{actDieHead, wantStatus(502)},
	{actDieBody, func(id string, a answer) error {
		// A reset may take bytes along that were not read yet: then it is as if
		// the answer had not begun.
		if a.StatusCode == 200 && (a.err == nil || !strings.HasPrefix(echoOf(id), a.body)) {
			return fmt.Errorf("an answer that looks whole, or is another's: %v, %q", a.err, a.body)
		}
		return nil
	}},
	{actDieFrame, func(id string, a answer) error {
		rest, whole := strings.CutPrefix(a.body, flowOf(id)[0])
		if a.StatusCode == 200 && (whole && a.err == nil && !strings.Contains(rest, `"error"`) || strings.Contains(rest, "[DONE]")) {
			return fmt.Errorf("a stream that looks whole: %v, %q", a.err, a.body)
		}
		if a.StatusCode == 200 && !whole && strings.Contains(a.body, `"content"`) {
			return fmt.Errorf("a stream that is another's: %q", a.body)
		}
		return nil
	}},
}

func wantStatus(status int) func(string, answer) error {
	return func(_ string, a answer) error {
		if a.StatusCode != status || a.err != nil {
			return fmt.Errorf("status %d, %v, body %q, want status %d", a.StatusCode, a.err, a.body, status)
		}
		return nil
	}
}

// everyState has clients leave and upstreams die at every state, many at a time
// and beside requests that must come to a good end.
func (s *suite) everyState(t *testing.T, rounds int, durable bool) {
	sc := newScene(t)
	r := s.newRig(t, sc.run, func(p *plan) {
		if durable {
			p.rows.store = sc.store
		}
	})
	var ends, normal sync.WaitGroup
	for _, d := range departures {
		if d.when != either && (d.when == before) != durable {
			continue
		}
		for how, leave := range leaves {
			ends.Go(func() {
				for i := range rounds {
					id := fmt.Sprintf("%s %s %d", strings.ReplaceAll(d.state, " ", "-"), how, i)
					id = strings.NewReplacer(" ", "/", ",", "", "'", "").Replace(id)
					c := dialAddr(t, r.addr)
					if err := d.reach(c, sc, id); err != nil {
						t.Errorf("%s: %v", id, err)
						return
					}
					leave(c)
					if done := sc.held(holding + id); done != nil {
						var err error
						if i%2 == 1 {
							err = errStore
						}
						done.Stored(err)
					}
				}
			})
		}
	}
	for _, d := range deaths {
		for _, act := range []string{d.act, d.act + "!"} {
			ends.Go(func() {
				c := dialAddr(t, r.addr)
				for i := range rounds {
					id := fmt.Sprintf("%s/%d", strings.TrimSuffix(act, "!"), i)
					if strings.HasSuffix(act, "!") {
						id += "/reset"
					}
					c.send(asking(act, id))
					a, err := c.response()
					if err != nil && d.act != actDieBody {
						t.Errorf("%s: no answer: %v", id, err)
					}
					if err == nil {
						if err := d.want(id, a); err != nil {
							t.Errorf("%s: %v", id, err)
						}
					}
					if err != nil || a.err != nil || a.Close {
						c.c.Close()
						c = dialAddr(t, r.addr)
					}
				}
			})
		}
	}
	var over atomic.Bool
	for w := range 4 {
		normal.Go(func() {
			c := dialAddr(t, r.addr)
			for i := 0; i < 5*rounds || !over.Load(); i++ {
				if err := c.converse(fmt.Sprintf("normal/%d/%d", w, i)); err != nil {
					t.Errorf("beside ends: %v", err)
					return
				}
			}
		})
	}
	ends.Wait()
	over.Store(true)
	normal.Wait()
	r.requireSettled()
	r.eventually("no upstream connection waits for a client that left", func() bool { return sc.waiting.Load() == 0 })
	r.eventually("the pools know every connection", func() bool {
		return r.eng.Stats().UpstreamConns == sc.open.Load()
	})
	if err := r.dial().converse("at/last"); err != nil {
		t.Error(err)
	}
}

// converse has a plain answer and a stream on one connection, each its own.
func (c *client) converse(id string) error {
	c.send(asking(actEcho, id))
	if err := c.wantEcho(id); err != nil {
		return err
	}
	c.send(asking(actFlow, id))
	a, err := c.response()
	if err != nil || a.StatusCode != 200 || a.err != nil || a.body != strings.Join(flowOf(id), "") {
		return fmt.Errorf("request %s: %+v, %w, want its stream", id, a, err)
	}
	return nil
}

func (c *client) wantEcho(id string) error {
	a, err := c.response()
	if err != nil || a.StatusCode != 200 || a.err != nil || a.body != echoOf(id) {
		return fmt.Errorf("request %s: %+v, %w, want its echo", id, a, err)
	}
	return nil
}

// wantBytes reads exactly these bytes.
func (c *client) wantBytes(want string) error {
	b := make([]byte, len(want))
	if n, err := io.ReadFull(c.br, b); err != nil || string(b) != want {
		return fmt.Errorf("read %q, %w, want %q", b[:n], err, want)
	}
	return nil
}

// wantStart reads a response's head and the first bytes of its body.
func (c *client) wantStart(want string) error {
	res, err := http.ReadResponse(c.br, &http.Request{Method: "POST"})
	if err != nil {
		return err
	}
	b := make([]byte, len(want))
	if n, err := io.ReadFull(res.Body, b); err != nil || string(b) != want {
		return fmt.Errorf("status %d, read %q, %w, want %q", res.StatusCode, b[:n], err, want)
	}
	return nil
}
