package enginetest

import (
	"io"
	"net/http"
	"testing"
)

// partial is a response whose body is read piece by piece.
type partial struct {
	t *testing.T
	*http.Response
}

// body reads a response's head.
func (c *client) body() partial {
	c.t.Helper()
	res, err := http.ReadResponse(c.br, &http.Request{Method: "POST"})
	if err != nil {
		c.t.Fatalf("no response: %v", err)
	}
	return partial{c.t, res}
}

// want reads exactly these bytes.
func (p partial) want(s string) {
	p.t.Helper()
	b := make([]byte, len(s))
	if n, err := io.ReadFull(p.Body, b); err != nil || string(b) != s {
		p.t.Fatalf("read %q, %v; want %q", b[:n], err, s)
	}
}

// wantEnd: nothing more, and the answer is whole.
func (p partial) wantEnd() {
	p.t.Helper()
	if b, err := io.ReadAll(p.Body); err != nil || len(b) > 0 {
		p.t.Errorf("read %q, %v at the end", b, err)
	}
}

// rest reads up to the end, whole or not.
func (p partial) rest() (string, error) {
	b, err := io.ReadAll(p.Body)
	return string(b), err
}
