package enginetest

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

const (
	// herdSize is how many slow readers and how many slow heads there are, unless
	// TOLLGATE_SLOW_CLIENTS says another number.
	herdSize = 100
	// tooMuch bytes of an answer never leave an upstream whose reader has
	// stopped: the engine and the four socket buffers on the way hold less.
	tooMuch = 8 << 20
	// sendBuffer bounds the buffers of sockets, in bytes, which the system would
	// let grow to megabytes on loopback. It is above loopback's segment size: TCP
	// stalls for 200 ms at a time when no segment fits the buffer.
	sendBuffer = 128 << 10
	// receiveBuffer is that of readers that take nothing, in bytes.
	receiveBuffer = 4 << 10
	// finishing readers take their whole answer in the end.
	finishing = 5
)

func slowClients(t *testing.T) int {
	t.Helper()
	v := os.Getenv("TOLLGATE_SLOW_CLIENTS")
	if v == "" {
		return herdSize
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < finishing {
		t.Fatalf("TOLLGATE_SLOW_CLIENTS=%q: want a number from %d", v, finishing)
	}
	return n
}

// longFrame is frame i of an answer that belongs to a reader; long is how many
// there are.
func longFrame(id string, i int) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s-%d-%s\"}}]}\n\n", id, i, strings.Repeat("x", 4<<10))
}

const long = tooMuch / (4 << 10)

// pouring answers "slow-…" by a long stream whose sent bytes it counts, and
// everybody else like echoing.
type pouring struct {
	mu   sync.Mutex
	sent map[string]*atomic.Int64
}

func (p *pouring) run(c *peer) {
	if err := c.buffer(sendBuffer); err != nil {
		c.t.Errorf("upstream: %v", err)
	}
	for {
		_, body, ok := c.request()
		if !ok {
			return
		}
		_, said, _ := strings.Cut(string(body), `"content":"`)
		said, _, _ = strings.Cut(said, `"`)
		if !strings.HasPrefix(said, "slow-") {
			if !c.send(withLength("application/json", fmt.Sprintf(`{"said":%q}`, said))) {
				return
			}
			continue
		}
		n := p.of(said)
		if !c.send(chunkedHead) {
			return
		}
		for i := range long {
			f := longFrame(said, i)
			if !c.send(fmt.Sprintf("%x\r\n%s\r\n", len(f), f)) {
				return
			}
			n.Add(int64(len(f)))
		}
		f := doneFrame
		if !c.send(fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(f), f)) {
			return
		}
	}
}

func (p *pouring) of(id string) *atomic.Int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sent[id] == nil {
		p.sent[id] = new(atomic.Int64)
	}
	return p.sent[id]
}

// sum is what has been sent to all readers, and the most to one of them.
func (p *pouring) sum() (all, most int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.sent {
		v := n.Load()
		all, most = all+v, max(most, v)
	}
	return all, most
}

// slowHead is a client that never ends its head.
type slowHead struct {
	*client
	begun time.Time
	took  time.Duration // until it was closed
	got   []byte        // before that
	err   error
	ended atomic.Bool
}

func (h *slowHead) wait(all *sync.WaitGroup) {
	defer all.Done()
	h.got, h.err = io.ReadAll(h.c)
	h.took = time.Since(h.begun)
	h.ended.Store(true)
}

// steady sends rounds of normal requests over connections that it keeps.
type steady struct {
	clients []*client
	rounds  int
}

func (r *rig) steady(n int) *steady {
	s := &steady{}
	for range n {
		s.clients = append(s.clients, r.dial())
	}
	return s
}

const perRound = 25

// round reports whether every request of one round was answered with its own
// words.
func (s *steady) round(t *testing.T) bool {
	s.rounds++
	var all sync.WaitGroup
	var failed atomic.Bool
	for i, c := range s.clients {
		all.Go(func() {
			for j := range perRound {
				said := fmt.Sprintf("%d-%d-%d", s.rounds, i, j)
				c.send(post(saying(said)))
				a, err := c.response()
				if err != nil || a.StatusCode != 200 || a.err != nil || a.body != `{"said":"`+said+`"}` {
					t.Errorf("beside slow clients: request %s: %v, %+v", said, err, a)
					failed.Store(true)
					return
				}
			}
		})
	}
	all.Wait()
	return !failed.Load()
}

func (s *steady) requests() int { return s.rounds * len(s.clients) * perRound }

var slowStories = []story{
	{"slow clients beside normal ones", func(t *testing.T, s *suite) {
		const headLimit = time.Second
		n := slowClients(t)
		up := &pouring{sent: map[string]*atomic.Int64{}}
		r := s.newRig(t, up.run, limit(func(p *plan) {
			p.snapshot.Limits.HeadTimeoutNs = int64(headLimit)
			p.snapshot.Limits.WriteTimeoutNs = 600 * second // nobody is given up for not reading
			p.sendBuffer = sendBuffer
		}))
		normal := r.steady(4)
		if !normal.round(t) {
			return
		}
		readers := make([]*client, n)
		for i := range readers {
			var c *client
			if i < finishing {
				c = r.dial()
			} else {
				c = r.dialBounded(receiveBuffer)
			}
			c.send(post(strings.Replace(saying(fmt.Sprintf("slow-%d", i)), "{", `{"stream":true,`, 1)))
			readers[i] = c
		}
		heads := make([]*slowHead, n)
		var open sync.WaitGroup
		for i := range heads {
			h := &slowHead{begun: time.Now(), client: r.dial()}
			h.send("POST /v1/chat/completions HTTP/1.1\r\nHost: gw\r\nX-Slow: ")
			heads[i] = h
			open.Add(1)
			go h.wait(&open)
		}
		// Rounds of normal traffic are the clock: every second head gets a byte in
		// each, which must win it no time, and the upstream must have stopped
		// sending from one round to the next.
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		before := int64(-1)
		for ctx.Err() == nil {
			closed := 0
			for i, h := range heads {
				switch {
				case h.ended.Load():
					closed++
				case i%2 == 0:
					h.send("a")
				}
			}
			if !normal.round(t) {
				return
			}
			sent, _ := up.sum()
			if closed == n && sent == before {
				break
			}
			before = sent
		}
		if ctx.Err() != nil {
			t.Fatal("slow heads stay open, or the upstream is read for ever")
		}
		open.Wait()
		for i, h := range heads {
			if h.took < headLimit {
				t.Errorf("head %d: closed after %v, before its time", i, h.took)
			}
			if s.traits.SlowHead && !strings.HasPrefix(string(h.got), "HTTP/1.1 408 ") {
				t.Errorf("head %d: got %q, %v, want status 408", i, h.got, h.err)
			}
		}
		if sent, most := up.sum(); sent == 0 || most >= tooMuch {
			t.Errorf("the upstream sent %d bytes to readers that took nothing, %d to one of them: nothing, or all", sent, most)
		}
		// What was held back is all there, in order, once somebody reads it.
		for i, c := range readers[:finishing] {
			b, id := c.body(), fmt.Sprintf("slow-%d", i)
			for j := range long {
				b.want(longFrame(id, j))
			}
			b.want(doneFrame)
			b.wantEnd()
		}
		for i, c := range readers[finishing:] {
			if i%2 == 0 {
				c.c.Close()
			} else {
				c.reset()
			}
		}
		r.requireSettled()
		if !normal.round(t) {
			return
		}
		r.eventually("every row is there", func() bool { return r.rows.count() >= normal.requests()+n })
		got := r.rows.outcomes()
		if got[logrow.Answered] != normal.requests()+finishing || got[logrow.ClientLeft] != n-finishing {
			t.Errorf("outcomes %v of %d normal requests and %d readers", got, normal.requests(), n)
		}
	}},
}
