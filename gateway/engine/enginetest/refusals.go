package enginetest

import (
	"fmt"
	"strings"
	"testing"
)

var refusalStories = []story{
	{"head too long", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		go c.send(post(plainBody, "X-Long: "+strings.Repeat("a", 20<<10)+"\r\n"))
		if !s.traits.BadHeads {
			c.want(431)
		} else {
			c.wantError(431, "head_too_large")
		}
		c.wantClosed()
	}},
	{"too many fields", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		c.send(post(plainBody, strings.Repeat("X: a\r\n", 100)))
		c.wantError(431, "head_too_large")
	}},
	{"body too long by its length", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer), limit(func(p *plan) { p.snapshot.Limits.MaxBodyBytes = 1000 }))
		c := r.dial()
		go c.send(post(saying(strings.Repeat("a", 1<<20))))
		c.wantError(413, "body_too_large")
		c.wantClosed()
	}},
	{"body too long in chunks", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer), limit(func(p *plan) { p.snapshot.Limits.MaxBodyBytes = 1000 }))
		c := r.dial()
		go c.send(postChunked(saying(strings.Repeat("a", 1<<20)), 400))
		c.wantError(413, "body_too_large")
		c.wantClosed()
	}},
	{"broken JSON", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		c.send(post(`{"model":"m",`))
		c.wantError(400, "invalid_json")
		c.send(post(plainBody))
		c.want(200)
	}},
	{"unknown route", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		c.send("GET /v2/none HTTP/1.1\r\nHost: a\r\n\r\n")
		c.wantError(404, "unknown_url")
	}},
	{"no key and a wrong key", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		c.send(strings.Replace(post(plainBody), "Authorization: Bearer "+token+"\r\n", "", 1))
		c.wantError(401, "missing_api_key")
		c.send(strings.Replace(post(plainBody), token, "tg-other", 1))
		c.wantError(401, "invalid_api_key")
	}},
	{"slow head", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer), limit(func(p *plan) { p.snapshot.Limits.HeadTimeoutNs = second / 10 }))
		c := r.dial()
		c.send("POST /v1/chat/completions HTTP/1.1\r\nHost:")
		if s.traits.SlowHead {
			c.wantError(408, "request_timeout")
		}
		c.wantClosed()
	}},
	{"slow body", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer), limit(func(p *plan) { p.snapshot.Limits.BodyTimeoutNs = second / 10 }))
		for _, in := range []string{post(plainBody), postChunked(plainBody, 10)} {
			c := r.dial()
			c.send(in[:len(in)-10])
			c.wantError(408, "request_timeout")
			c.wantClosed()
		}
	}},
	{"idle too long", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer), limit(func(p *plan) { p.snapshot.Limits.IdleTimeoutNs = second / 10 }))
		c := r.dial()
		c.send(post(plainBody))
		c.want(200)
		c.wantClosed()
	}},
	{"broken chunks", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		for _, bad := range []string{"xyz\r\n", "5\r\nabcdefgh\r\n", "-1\r\n"} {
			c := r.dial()
			in := postChunked(plainBody, 10)
			c.send(in[:strings.Index(in, "\r\n\r\n")+4], bad, strings.Repeat("0", 100))
			c.wantError(400, "malformed_request")
			c.wantClosed()
		}
	}},
	{"what could be read in two ways", func(t *testing.T, s *suite) {
		reached := make(chan string, 100)
		r := s.newRig(t, func(p *peer) {
			for {
				_, body, ok := p.request()
				if !ok {
					return
				}
				reached <- string(body)
				p.send(jsonAnswer)
			}
		})
		inner := post(saying("smuggled"))
		for name, in := range smuggled(inner) {
			c := r.dial()
			c.send(in)
			a := c.read("POST")
			if a.StatusCode != 400 && a.StatusCode != 501 {
				t.Errorf("%s: status %d", name, a.StatusCode)
			}
			if s.traits.BadHeads && a.Header.Get("X-Tollgate-Error") == "" {
				t.Errorf("%s: not the gateway's error: %v", name, a.Header)
			}
			c.wantClosed()
		}
		if s.traits.BadHeads {
			for name, in := range untidy(inner) {
				c := r.dial()
				c.send(in)
				if a := c.read("POST"); a.StatusCode != 400 {
					t.Errorf("%s: status %d", name, a.StatusCode)
				}
				c.wantClosed()
			}
		}
		select {
		case body := <-reached:
			t.Errorf("the upstream got %q", body)
		default:
		}
	}},
}

// smuggled are requests that two readers could end in different places; the
// inner one is what would come through.
func smuggled(inner string) map[string]string {
	head := "POST /v1/chat/completions HTTP/1.1\r\nHost: gw\r\nAuthorization: Bearer " + token + "\r\n"
	return map[string]string{
		"length then coding":     head + "Content-Length: 5\r\nTransfer-Encoding: chunked, x\r\n\r\n0\r\n\r\n" + inner,
		"lengths that differ":    head + fmt.Sprintf("Content-Length: 0\r\nContent-Length: %d\r\n\r\n", len(inner)) + inner,
		"coding with a prefix":   head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + inner,
		"coding list":            head + "Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n" + inner,
		"space before the colon": head + "Content-Length : 5\r\n\r\n" + inner,
		"signed length":          head + "Content-Length: +5\r\n\r\n" + inner,
		"folded first line":      "POST /v1/chat/completions HTTP/1.1\r\n Transfer-Encoding: chunked\r\nHost: gw\r\n\r\n" + inner,
	}
}

// untidy are requests that the standard library reads in one way of its own.
func untidy(inner string) map[string]string {
	head := "POST /v1/chat/completions HTTP/1.1\r\nHost: gw\r\nAuthorization: Bearer " + token + "\r\n"
	return map[string]string{
		"bare LF":           strings.ReplaceAll(head, "\r\n", "\n") + "Content-Length: 0\n\n" + inner,
		"length twice":      head + "Content-Length: 5\r\nContent-Length: 5\r\n\r\n01234" + inner,
		"length and coding": head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + inner,
		"fold":              head + "X: a\r\n b\r\nContent-Length: 0\r\n\r\n" + inner,
		"two hosts":         head + "Host: other\r\nContent-Length: 0\r\n\r\n" + inner,
	}
}

// limit changes a plan.
func limit(f func(*plan)) func(*plan) { return f }
