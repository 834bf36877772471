package conn

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// scripted is a proxy's side of a connection: what it says, whatever it hears.
type scripted struct {
	io.Reader
	heard bytes.Buffer
}

func (s *scripted) Write(p []byte) (int, error) { return s.heard.Write(p) }

func TestTunnel(t *testing.T) {
	ep := exchange.Endpoint{Host: "api.example:443", Proxy: "p:3128", ProxyAuth: "Basic eA=="}
	for _, c := range []struct{ story, says, rest, want string }{
		{"it stands", "HTTP/1.1 200 OK\r\n\r\n", "", ""},
		{"what follows is the endpoint's", "HTTP/1.1 200 OK\r\n\r\nhello", "hello", ""},
		{"another 2xx, with a length that means nothing", "HTTP/1.1 204 OK\r\nContent-Length: 7\r\n\r\n", "", ""},
		{"an interim answer first", "HTTP/1.1 103 Early\r\n\r\nHTTP/1.0 200 OK\r\nVia: x\r\n\r\n", "", ""},
		{"a password is wanted", "HTTP/1.1 407 Who?\r\n\r\n", "", "refused CONNECT to api.example:443 with status 407"},
		{"it is no proxy", "SSH-2.0-x\r\n\r\n", "", "its answer to CONNECT"},
		{"it hangs up", "HTTP/1.1 200", "", "unexpected EOF"},
		{"it says nothing", "", "", "EOF"},
		{"it never ends", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*maxTunnelHead), "", "longer than"},
	} {
		s := &scripted{Reader: strings.NewReader(c.says)}
		err := tunnel(s, &ep)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "proxy: ") {
				t.Errorf("%s: %v, want %q", c.story, err, c.want)
			}
			continue
		}
		rest, _ := io.ReadAll(s)
		if err != nil || string(rest) != c.rest {
			t.Errorf("%s: %v, rest %q", c.story, err, rest)
		}
		const asked = "CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\nProxy-Authorization: Basic eA==\r\n\r\n"
		if s.heard.String() != asked {
			t.Errorf("%s: asked %q", c.story, s.heard.String())
		}
	}
}
