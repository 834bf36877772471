package enginetest

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strings"
	"testing"
)

// Equal gives the same requests to several engines, before the same upstreams,
// and requires the same answers: status, header set and de-chunked body, and
// the same request upstream. Names of fields are compared in canonical form
// and Date is left out; how an answer is framed is the engine's.
func Equal(t *testing.T, engines map[string]Start) {
	names := slices.Sorted(maps.Keys(engines))
	for _, c := range equalCases() {
		t.Run(c.name, func(t *testing.T) {
			var first, firstName string
			for _, name := range names {
				got := (&suite{start: engines[name]}).observe(t, c)
				if first == "" {
					first, firstName = got, name
				} else if got != first {
					t.Errorf("%s and %s differ.\n%s:\n%s\n%s:\n%s", firstName, name, firstName, first, name, got)
				}
			}
		})
	}
}

type equalCase struct{ name, method, request, answer string }

func equalCases() []equalCase {
	cases := []equalCase{
		{"plain", "POST", post(plainBody, "X-Request-Id: r\r\nX-A: b\r\nX-A: c\r\n"), jsonAnswer},
		{"chunked request", "POST", strings.Replace(postChunked(plainBody, 9), "\r\n", "\r\nX-Request-Id: r\r\n", 1), jsonAnswer},
		{"embeddings", "POST", strings.Replace(post(`{"model":"m","input":"a"}`, "X-Request-Id: r\r\n"), "chat/completions", "embeddings", 1), jsonAnswer},
		{"models", "GET", "GET /v1/models HTTP/1.1\r\nHost: gw\r\nX-Request-Id: r\r\nAuthorization: Bearer " + token + "\r\n\r\n", ""},
		{"healthz by HEAD", "HEAD", "HEAD /healthz HTTP/1.1\r\nHost: gw\r\nX-Request-Id: r\r\n\r\n", ""},
		{"unknown route", "GET", "GET /none?a=b HTTP/1.1\r\nHost: gw\r\nX-Request-Id: r\r\n\r\n", ""},
		{"wrong method", "GET", "GET /v1/chat/completions HTTP/1.1\r\nHost: gw\r\nX-Request-Id: r\r\n\r\n", ""},
		{"no key", "POST", "POST /v1/embeddings HTTP/1.1\r\nHost: gw\r\nX-Request-Id: r\r\nContent-Length: 0\r\n\r\n", ""},
		{"broken JSON", "POST", post(`{"model"`, "X-Request-Id: r\r\n"), ""},
		{"empty body", "POST", post("", "X-Request-Id: r\r\n"), ""},
		{"query", "POST", strings.Replace(post(plainBody, "X-Request-Id: r\r\n"), "completions", "completions?a=b%20c&d", 1), jsonAnswer},
		{"upstream error", "POST", post(plainBody, "X-Request-Id: r\r\n"), "HTTP/1.1 500 Oh\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno"},
		{"upstream answers nothing", "POST", post(plainBody, "X-Request-Id: r\r\n"), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
		{"upstream 204", "POST", post(plainBody, "X-Request-Id: r\r\n"), "HTTP/1.1 204 No\r\nX-B: c\r\n\r\n"},
		{"upstream without a type", "POST", post(plainBody, "X-Request-Id: r\r\n"), "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"},
		{"upstream malformed", "POST", post(plainBody, "X-Request-Id: r\r\n"), "HTTP/1.1 abc\r\n\r\n"},
		{"upstream both framings", "POST", post(plainBody, "X-Request-Id: r\r\n"), "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"},
	}
	for name, wire := range framings() {
		cases = append(cases, equalCase{"stream, " + name, "POST", post(streamBody, "X-Request-Id: r\r\n"), wire})
	}
	return cases
}

// observe is everything of one exchange that must be equal, as text.
func (s *suite) observe(t *testing.T, c equalCase) string {
	seen := make(chan string, 1)
	r := s.newRig(t, func(p *peer) {
		req, body, ok := p.request()
		if !ok {
			return
		}
		seen <- fmt.Sprintf("%s %s\n%s%s", req.Method, req.RequestURI, headerText(req.Header), body)
		p.send(c.answer)
	})
	cl := r.dial()
	cl.send(c.request)
	a := cl.read(c.method)
	out := fmt.Sprintf("%d\n%s%s\nbody error %v\n", a.StatusCode, headerText(a.Header), a.body, a.err)
	select {
	case up := <-seen:
		out += "upstream got " + up
	default:
	}
	return out
}

func headerText(h http.Header) string {
	var lines []string
	for name, values := range h {
		if name != "Date" {
			lines = append(lines, fmt.Sprintf("%s: %q\n", name, values))
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "")
}
