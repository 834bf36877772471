package loadgen

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// scripted is a server that says exactly what a test wants said, byte by
// byte. It is no HTTP server: nothing keeps it from being wrong.
type scripted struct {
	url    string
	script func(n int, req *http.Request, body []byte) reply

	mu       sync.Mutex
	requests int
	release  chan struct{} // closed when the test ends: what stalls goes on
}

// reply is what the server does with one request.
type reply struct {
	pieces []string // each written on its own
	then   ending
}

type ending int

const (
	keep  ending = iota // wait for the next request
	hang                // say nothing until the test ends, then close
	end                 // close the connection
	reset               // close it so that the peer sees a reset
)

// serve starts a server; script is called for request n, from 0, in the order
// of arrival.
func serve(t testing.TB, script func(n int, req *http.Request, body []byte) reply) *scripted {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{url: "http://" + l.Addr().String(), script: script, release: make(chan struct{})}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.converse(c.(*net.TCPConn)) })
		}
	})
	t.Cleanup(func() {
		close(s.release)
		l.Close()
		all.Wait()
	})
	return s
}

func (s *scripted) converse(c *net.TCPConn) {
	defer c.Close()
	rd := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(rd)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		n := s.requests
		s.requests++
		s.mu.Unlock()
		r := s.script(n, req, body)
		for _, p := range r.pieces {
			if _, err := io.WriteString(c, p); err != nil {
				return
			}
		}
		switch r.then {
		case hang:
			<-s.release
			return
		case end:
			return
		case reset:
			_ = c.SetLinger(0)
			return
		}
	}
}

// received is the number of requests the server read whole.
func (s *scripted) received() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

const hello = "Hello there."

// length makes an answer with an announced length.
func length(status int, body string, headers ...string) string {
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s",
		status, len(body), strings.Join(append(headers, ""), "\r\n"), body)
}

func chat(content string) string {
	return fmt.Sprintf(`{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, content)
}

// frames are the events of a streamed answer that says content in n frames.
func frames(content string, n int) (events []string) {
	for i := range n {
		part := content[len(content)*i/n : len(content)*(i+1)/n]
		events = append(events, fmt.Sprintf("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", part))
	}
	return append(events, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", "data: [DONE]\n\n")
}

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

// chunked puts each part in a chunk.
func chunked(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%x\r\n%s\r\n", len(p), p)
	}
	return b.String()
}

const lastChunk = "0\r\n\r\n"

// asksStream reports whether a request body asks for a stream.
func asksStream(body []byte) bool { return strings.Contains(string(body), `"stream":true`) }

// good answers as a sound server does.
func good(_ int, _ *http.Request, body []byte) reply {
	if asksStream(body) {
		return reply{pieces: []string{streamHead + chunked(frames(hello, 3)...) + lastChunk}}
	}
	return reply{pieces: []string{length(200, chat(hello))}}
}

// jobFor is a small job against a test's server.
func jobFor(url, client string) Job {
	return Job{
		Target: url, Path: "/v1/chat/completions", Client: client,
		Body: []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`),
		Conc: 2, Requests: 20, Nonce: 7, Timeout: 20 * time.Second, ExpectContent: hello,
	}
}

// mustRun runs a job that must end by itself.
func mustRun(t testing.TB, job Job) *Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	res, err := Run(ctx, job, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res.Interrupted {
		t.Fatal("the run did not end by itself")
	}
	return res
}

// eachClient runs a test with both clients.
func eachClient(t *testing.T, test func(t *testing.T, client string)) {
	for _, client := range []string{ClientLean, ClientVegeta} {
		t.Run(client, func(t *testing.T) { test(t, client) })
	}
}
