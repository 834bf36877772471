package mockupstream

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// memConn is a connection in memory. It hands out its input in reads of at
// most step bytes, turns times over, and keeps or discards what is written.
type memConn struct {
	input []byte
	step  int // 0: as much as fits
	turns int // negative: without end
	keep  bool

	at     int
	output bytes.Buffer
	writes int
}

func (c *memConn) Read(b []byte) (int, error) {
	if c.at == len(c.input) {
		if c.turns == 0 {
			return 0, io.EOF
		}
		c.turns--
		c.at = 0
	}
	if c.step > 0 && len(b) > c.step {
		b = b[:c.step]
	}
	n := copy(b, c.input[c.at:])
	c.at += n
	return n, nil
}

func (c *memConn) Write(b []byte) (int, error) {
	c.writes++
	if c.keep {
		c.output.Write(b)
	}
	return len(b), nil
}

func (c *memConn) Close() error                     { return nil }
func (c *memConn) LocalAddr() net.Addr              { return nil }
func (c *memConn) RemoteAddr() net.Addr             { return nil }
func (c *memConn) SetDeadline(time.Time) error      { return nil }
func (c *memConn) SetReadDeadline(time.Time) error  { return nil }
func (c *memConn) SetWriteDeadline(time.Time) error { return nil }

// talk serves the input on a connection in memory and returns the output.
func talk(t testing.TB, srv *Server, input string, step int) *memConn {
	t.Helper()
	mc := &memConn{input: []byte(input), step: step, keep: true}
	sh := srv.shards.take()
	defer srv.shards.put(sh)
	newConn(srv, mc, sh).serve()
	return mc
}

func newServer(t testing.TB, s Script) *Server {
	t.Helper()
	srv, err := New(Options{Script: s})
	if err != nil {
		t.Fatal(err)
	}
	return srv
}
