package enginetest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// client is a connection to the engine.
type client struct{ *peer }

func (r *rig) dial() *client {
	r.t.Helper()
	return dialAddr(r.t, r.addr)
}

func dialAddr(t *testing.T, addr string) *client {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &client{newPeer(t, c)}
}

// dialBounded connects with a receive buffer of so many bytes.
func (r *rig) dialBounded(bytes int) *client {
	r.t.Helper()
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return control(c, func(fd uintptr) error { return setReceiveBuffer(fd, bytes) })
	}}
	c, err := d.Dial("tcp", r.addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	return &client{newPeer(r.t, c)}
}

// control runs f on the descriptor.
func control(c syscall.RawConn, f func(fd uintptr) error) error {
	var done error
	if err := c.Control(func(fd uintptr) { done = f(fd) }); err != nil {
		return err
	}
	return done
}

// answer is a response as a client sees it.
type answer struct {
	*http.Response
	body string
	err  error // why the body is not whole
}

// read reads a response; its body may be cut.
func (c *client) read(method string) answer {
	c.t.Helper()
	a, err := c.responseTo(method)
	if err != nil {
		c.t.Fatalf("no response: %v", err)
	}
	return a
}

// response reads the response to a POST. Unlike read it may be called on any
// goroutine.
func (c *client) response() (answer, error) { return c.responseTo("POST") }

func (c *client) responseTo(method string) (answer, error) {
	res, err := http.ReadResponse(c.br, &http.Request{Method: method})
	if err != nil {
		return answer{}, err
	}
	b, err := io.ReadAll(res.Body)
	return answer{res, string(b), err}, nil
}

// want reads a response and checks its status and that it is whole.
func (c *client) want(status int) answer {
	c.t.Helper()
	a := c.read("POST")
	if a.StatusCode != status || a.err != nil {
		c.t.Fatalf("status %d, body error %v, want %d; body %q", a.StatusCode, a.err, status, a.body)
	}
	return a
}

// wantError reads one of the gateway's own errors, in OpenAI's format.
func (c *client) wantError(status int, reason string) answer {
	c.t.Helper()
	a := c.want(status)
	if got := a.Header.Get("X-Tollgate-Error"); got != reason {
		c.t.Errorf("X-Tollgate-Error %q, want %q", got, reason)
	}
	if !strings.HasPrefix(a.body, `{"error":{"message":`) && !strings.HasPrefix(a.body, "{\n") {
		c.t.Errorf("body %q", a.body)
	}
	return a
}

// wantClosed checks that the engine has ended the connection, and sent nothing more.
func (c *client) wantClosed() {
	c.t.Helper()
	b, err := io.ReadAll(c.br)
	var ne net.Error
	if errors.As(err, &ne) && ne.Timeout() {
		c.t.Fatal("the connection stays open")
	}
	if len(b) > 0 {
		c.t.Errorf("more bytes before the end: %q", b)
	}
}

const (
	plainBody  = `{"model":"m","messages":[{"role":"user","content":"hi"}]}`
	streamBody = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`
)

// post renders a chat request; more are header lines with their line ends.
func post(body string, more ...string) string {
	return fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: gw\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", token, strings.Join(more, ""), len(body), body)
}

// postChunked renders a chat request in chunks of n bytes.
func postChunked(body string, n int) string {
	return "POST /v1/chat/completions HTTP/1.1\r\nHost: gw\r\nAuthorization: Bearer " + token +
		"\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks(body, n)
}

func chunks(body string, n int) string {
	var b strings.Builder
	for len(body) > 0 {
		k := min(n, len(body))
		fmt.Fprintf(&b, "%x\r\n%s\r\n", k, body[:k])
		body = body[k:]
	}
	b.WriteString("0\r\n\r\n")
	return b.String()
}
