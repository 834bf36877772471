package enginetest

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

// echoing answers each request with its own last message, so that answers can
// be told apart.
func echoing(p *peer) {
	for {
		_, body, ok := p.request()
		if !ok {
			return
		}
		_, said, _ := strings.Cut(string(body), `"content":"`)
		said, _, _ = strings.Cut(said, `"`)
		p.send(withLength("application/json", fmt.Sprintf(`{"said":%q}`, said)))
	}
}

func saying(s string) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, s)
}

var requestStories = []story{
	{"requests sent ahead are answered in order", func(t *testing.T, s *suite) {
		r := s.newRig(t, echoing)
		c := r.dial()
		all := ""
		for i := range 20 {
			if i%2 == 0 {
				all += post(saying(fmt.Sprint(i)))
			} else {
				all += postChunked(saying(fmt.Sprint(i)), 7)
			}
		}
		c.send(all)
		for i := range 20 {
			if a := c.want(200); a.body != fmt.Sprintf(`{"said":"%d"}`, i) {
				t.Errorf("answer %d is %q", i, a.body)
			}
		}
	}},
	{"a client that sent ahead may close its writing side", func(t *testing.T, s *suite) {
		if !s.traits.HalfClosed {
			t.Skip("this engine takes it for leaving")
		}
		r := s.newRig(t, echoing)
		c := r.dial()
		c.send(post(saying("a")) + post(saying("b")) + post(saying("c")))
		c.c.(*net.TCPConn).CloseWrite()
		for _, want := range []string{"a", "b", "c"} {
			if a := c.want(200); a.body != `{"said":"`+want+`"}` {
				t.Errorf("got %q", a.body)
			}
		}
		c.wantClosed()
	}},
	{"a request in single bytes", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		for _, in := range []string{post(plainBody), postChunked(plainBody, 5)} {
			c := r.dial()
			c.send(strings.Split(in, "")...)
			c.want(200)
		}
	}},
	{"HTTP/1.0 closes unless asked to keep", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		old := strings.Replace(post(plainBody), "HTTP/1.1", "HTTP/1.0", 1)
		c := r.dial()
		c.send(old)
		c.want(200)
		c.wantClosed()
		c = r.dial()
		for range 2 {
			c.send(strings.Replace(post(plainBody, "Connection: Keep-Alive\r\n"), "HTTP/1.1", "HTTP/1.0", 1))
			a := c.want(200)
			if v := a.Header.Get("Connection"); !strings.EqualFold(v, "keep-alive") {
				t.Errorf("Connection %q", v)
			}
		}
	}},
	{"close is honoured", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		c.send(post(plainBody, "Connection: close\r\n"))
		if a := c.want(200); !a.Close {
			t.Error("the answer does not say close")
		}
		c.wantClosed()
	}},
	{"100 Continue before the body", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		in := post(plainBody, "Expect: 100-continue\r\n")
		head := in[:len(in)-len(plainBody)]
		c.send(head)
		if a := c.read("POST"); a.StatusCode != 100 {
			t.Fatalf("status %d", a.StatusCode)
		}
		c.send(plainBody)
		c.want(200)
	}},
	{"no 100 Continue when the head is refused", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		in := strings.Replace(post(plainBody, "Expect: 100-continue\r\n"), token, "wrong", 1)
		c.send(in[:len(in)-len(plainBody)])
		if a := c.wantError(401, "invalid_api_key"); !a.Close {
			t.Error("the body would be read as a request")
		}
		c.wantClosed()
	}},
	{"an unread short body does not end the connection", func(t *testing.T, s *suite) {
		r := s.newRig(t, answering(jsonAnswer))
		c := r.dial()
		c.send(strings.Replace(post(plainBody), token, "wrong", 1))
		c.wantError(401, "invalid_api_key")
		c.send(post(plainBody))
		c.want(200)
	}},
	{"header names upstream", func(t *testing.T, s *suite) {
		raw := make(chan string, 1)
		r := s.newRig(t, func(p *peer) {
			line := ""
			for !strings.HasSuffix(line, "\r\n\r\n") {
				b, err := p.br.ReadByte()
				if err != nil {
					return
				}
				line += string(b)
			}
			raw <- line
			p.send(jsonAnswer)
			p.waitClosed()
		})
		c := r.dial()
		c.send(post(plainBody, "x-lower-CASE: a\r\n"))
		c.want(200)
		want := "x-lower-CASE: a\r\n"
		if !s.traits.KeepsCase {
			want = "X-Lower-Case: a\r\n"
		}
		if head := <-raw; !strings.Contains(head, want) {
			t.Errorf("head %q", head)
		}
	}},
}
