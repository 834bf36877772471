package enginetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// What a request asks of the upstream of a scene, by the field X-Act. Behind a
// "!" a connection ends by a reset.
const (
	actEcho     = "echo"      // a plain answer
	actFlow     = "flow"      // a stream
	actHang     = "hang"      // no answer
	actHalf     = "half"      // half a plain answer
	actDrip     = "drip"      // the first frame of a stream
	actDie      = "die"       // the end, before the head
	actDieSend  = "die-send"  // the end, before the request's body was read
	actDieHead  = "die-head"  // the end, in the middle of the head
	actDieBody  = "die-body"  // the end, in the middle of a plain answer
	actDieFrame = "die-frame" // the end, behind the first frame of a stream
)

// scene is an upstream, and a store, that do what each request asks for. Every
// request has an id which stands all over its bytes, so that a byte of another
// one is seen.
type scene struct {
	t       *testing.T
	mu      sync.Mutex
	reached map[string]chan struct{}
	stores  map[string]logrow.Completion
	open    atomic.Int64 // connections
	waiting atomic.Int64 // that have nothing more to say
}

func newScene(t *testing.T) *scene {
	return &scene{t: t, reached: map[string]chan struct{}{}, stores: map[string]logrow.Completion{}}
}

// at is closed when the request id has come as far as it was meant to.
func (s *scene) at(id string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reached[id] == nil {
		s.reached[id] = make(chan struct{})
	}
	return s.reached[id]
}

// await waits until the request id has come as far as it was meant to.
func (s *scene) await(id string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	select {
	case <-s.at(id):
		return nil
	case <-ctx.Done():
		return errors.New("it never came so far")
	}
}

// asking renders a request. more are header lines.
func asking(act, id string, more ...string) string {
	body := saying(said(id))
	switch {
	case strings.HasPrefix(act, actFlow), strings.HasPrefix(act, actDrip), strings.HasPrefix(act, actDieFrame):
		body = strings.Replace(body, "{", `{"stream":true,`, 1)
	case strings.HasPrefix(act, actDieSend):
		body = saying(strings.Repeat(said(id), 1<<12)) // more than fits on the way
	}
	return post(body, append(more, "X-Act: "+act+"\r\n", "X-Request-Id: "+id+"\r\n")...)
}

func said(id string) string { return strings.Repeat(id+".", 15) }

func echoOf(id string) string { return fmt.Sprintf(`{"said":%q}`, said(id)) }

func flowOf(id string) []string {
	content := func(i int) string {
		return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%s%d\"}}]}\n\n", said(id), i)
	}
	return []string{content(0), content(1), content(2), doneFrame}
}

func chunk(s string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(s), s) }

// run is the script of a connection.
func (s *scene) run(p *peer) {
	s.open.Add(1)
	defer s.open.Add(-1)
	for s.serve(p) {
	}
}

// serve does what one request asks for. It reports whether the connection goes on.
func (s *scene) serve(p *peer) bool {
	req, err := http.ReadRequest(p.br)
	if err != nil {
		return false
	}
	id := req.Header.Get("X-Request-Id")
	act, reset := strings.CutSuffix(req.Header.Get("X-Act"), "!")
	end := func() bool {
		if reset {
			p.reset()
		}
		return false
	}
	if act == actDieSend {
		return end()
	}
	body, ok := p.whole(req)
	if !ok {
		return false
	}
	if !strings.Contains(body, `"`+said(id)+`"`) {
		s.t.Errorf("upstream: request %s has the body %q", id, body)
	}
	answer, flow := withLength("application/json", echoOf(id)), flowOf(id)
	switch act {
	case actEcho:
		return p.send(answer)
	case actFlow:
		return p.send(chunkedHead, chunk(flow[0]), chunk(flow[1]), chunk(flow[2]), chunk(flow[3]), "0\r\n\r\n")
	case actHang:
	case actHalf:
		p.send(answer[:len(answer)-len(echoOf(id))/2])
	case actDrip:
		p.send(chunkedHead, chunk(flow[0]))
	case actDie:
		return end()
	case actDieHead:
		p.send("HTTP/1.1 200 OK\r\nContent-Ty")
		return end()
	case actDieBody:
		p.send(answer[:len(answer)-len(echoOf(id))/2])
		return end()
	case actDieFrame:
		p.send(chunkedHead, chunk(flow[0]))
		return end()
	default:
		s.t.Errorf("upstream: request %s asks for %q", id, act)
		return false
	}
	s.waiting.Add(1)
	close(s.at(id))
	p.waitClosed()
	s.waiting.Add(-1)
	return false
}

// holding is the prefix of the ids whose rows are stored when the story says so.
const holding = "hold-"

// store is the log store: it stores at once, on a goroutine of its own, or when
// the story says so.
func (s *scene) store(row *logrow.Row, done logrow.Completion) {
	id := string(row.ID())
	if !strings.HasPrefix(id, holding) {
		go done.Stored(nil)
		return
	}
	at := s.at(id)
	s.mu.Lock()
	s.stores[id] = done
	s.mu.Unlock()
	close(at)
}

func (s *scene) held(id string) logrow.Completion {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stores[id]
}
