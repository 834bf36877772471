package enginetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// completion is an upstream's plain answer.
const completion = `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hello"},` +
	`"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`

// withLength frames a body by its length.
func withLength(contentType, body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: %s\r\nX-Up: yes\r\nContent-Length: %d\r\n\r\n%s", contentType, len(body), body)
}

var jsonAnswer = withLength("application/json", completion)

var plainStories = []story{
	{"plain answer", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		for range 3 {
			c.send(post(plainBody))
			a := c.want(200)
			if a.body != completion || a.Header.Get("X-Up") != "yes" || a.ContentLength != int64(len(completion)) {
				t.Errorf("got %v %q", a.Header, a.body)
			}
			if a.Header.Get("Date") == "" {
				t.Error("no Date")
			}
		}
		if st := r.eng.Stats(); st.UpstreamDials != 1 || st.UpstreamReused != 2 {
			t.Errorf("upstream connections are not reused: %+v", st)
		}
		r.eventually("three rows", func() bool { return r.rows.count() == 3 })
		if row := r.rows.last(); row.Outcome != logrow.Answered || row.PromptTok != 1 || row.OutputTok != 2 || row.BytesOut != int64(len(completion)) {
			t.Errorf("row %+v", row)
		}
	}},
	{"what goes upstream", func(t *testing.T, s *suite) {
		type seen struct {
			line, body string
			head       map[string][]string
		}
		got := make(chan seen, 1)
		r := s.newRig(t, func(p *peer) {
			req, body, ok := p.request()
			if ok {
				got <- seen{req.Method + " " + req.RequestURI + " " + req.Host, string(body), req.Header}
				p.send(jsonAnswer)
				p.waitClosed()
			}
		})
		c := r.dial()
		c.send(post(plainBody, "Connection: keep-alive, X-Hop\r\nX-Hop: a\r\nKeep-Alive: timeout=5\r\nTE: trailers\r\n"+
			"Proxy-Authorization: b\r\nUpgrade: h2c\r\nX-Kept: c\r\nX-Request-Id: mine\r\n"))
		if a := c.want(200); a.Header.Get("X-Request-Id") != "mine" {
			t.Errorf("request id %q", a.Header.Get("X-Request-Id"))
		}
		up := <-got
		if want := "POST /base/chat/completions " + r.up.addr; up.line != want || up.body != plainBody {
			t.Errorf("upstream got %q %q", up.line, up.body)
		}
		for _, name := range []string{"Authorization", "X-Hop", "Keep-Alive", "Te", "Proxy-Authorization", "Upgrade", "Connection"} {
			if v, ok := up.head[name]; ok {
				t.Errorf("%s went upstream: %q", name, v)
			}
		}
		if up.head["X-Kept"] == nil || up.head["X-Request-Id"][0] != "mine" {
			t.Errorf("missing fields: %v", up.head)
		}
	}},
	{"hop-by-hop fields of the answer stay", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: X-Hop\r\nX-Hop: a\r\nKeep-Alive: timeout=9\r\n"+
			"Proxy-Authenticate: b\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 2\r\n\r\n{}"))
		c := r.dial()
		c.send(post(plainBody))
		a := c.want(200)
		for _, name := range []string{"X-Hop", "Keep-Alive", "Proxy-Authenticate", "Connection"} {
			if v := a.Header.Get(name); v != "" {
				t.Errorf("%s: %s came through", name, v)
			}
		}
		if d := a.Header.Values("Date"); len(d) != 1 || strings.Contains(d[0], "1970") {
			t.Errorf("Date %q", d)
		}
	}},
	{"the upstream's own error passes unchanged", func(t *testing.T, s *suite) {
		const body = `{"error":{"message":"slow down","type":"requests"}}`
		r := s.newRig(t, answering(fmt.Sprintf("HTTP/1.1 429 Too Many\r\nContent-Type: application/json\r\nRetry-After: 7\r\nContent-Length: %d\r\n\r\n%s", len(body), body)))
		c := r.dial()
		c.send(post(plainBody))
		a := c.want(429)
		if a.body != body || a.Header.Get("Retry-After") != "7" || a.Header.Get("X-Tollgate-Error") != "" {
			t.Errorf("got %v %q", a.Header, a.body)
		}
	}},
	{"interim answers are passed over", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n", jsonAnswer))
		c := r.dial()
		c.send(post(plainBody))
		if a := c.want(200); a.body != completion {
			t.Errorf("body %q", a.body)
		}
	}},
	{"healthz by HEAD has no body", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		c.send("HEAD /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
		if a := c.read("HEAD"); a.StatusCode != 200 || a.ContentLength != 3 || a.body != "" {
			t.Errorf("HEAD: %d length %d body %q", a.StatusCode, a.ContentLength, a.body)
		}
		if a := c.want(200); a.body != "ok\n" {
			t.Errorf("GET: %q", a.body)
		}
	}},
	{"large bodies both ways", func(t *testing.T, s *suite) {
		big := strings.Repeat("x", 1<<20)
		answer := `{"choices":[{"message":{"content":"` + big + `"}}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}`
		request := `{"model":"m","messages":[{"role":"user","content":"` + big + `"}]}`
		r := s.newRig(t, func(p *peer) {
			for {
				_, body, ok := p.request()
				if !ok {
					return
				}
				if string(body) != request {
					p.t.Errorf("upstream got %d bytes that differ", len(body))
				}
				p.send(withLength("application/json", answer))
			}
		})
		c := r.dial()
		for _, in := range []string{post(request), postChunked(request, 10000), postChunked(request, 1<<20)} {
			done := make(chan struct{})
			go func() { defer close(done); c.send(in) }()
			if a := c.want(200); a.body != answer {
				t.Errorf("%d bytes that differ", len(a.body))
			}
			<-done
		}
	}},
}
