package enginetest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// script is what an upstream does with one connection. It ends with it.
type script func(p *peer)

// upstream accepts connections and runs the script on each.
type upstream struct {
	addr  string
	ln    net.Listener
	conns chan *peer // each connection, when it is accepted
	wg    sync.WaitGroup
}

func newUpstream(t *testing.T, run script) *upstream {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	u := &upstream{addr: ln.Addr().String(), ln: ln, conns: make(chan *peer, 1<<13)}
	u.wg.Add(1)
	go func() {
		defer u.wg.Done()
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			p := newPeer(t, c)
			u.conns <- p
			u.wg.Add(1)
			go func() {
				defer u.wg.Done()
				defer close(p.ended)
				defer c.Close()
				run(p)
			}()
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		for {
			select {
			case p := <-u.conns:
				p.c.Close()
				continue
			default:
			}
			break
		}
		u.wg.Wait()
	})
	return u
}

// peer is one end of a connection, read and written as a story says.
type peer struct {
	t     *testing.T
	c     net.Conn
	br    *bufio.Reader
	ended chan struct{} // the script has returned
}

func newPeer(t *testing.T, c net.Conn) *peer {
	c.SetDeadline(time.Now().Add(2 * patience))
	return &peer{t: t, c: c, br: bufio.NewReaderSize(c, 64<<10), ended: make(chan struct{})}
}

// request reads one request; ok is false when the connection has ended.
func (p *peer) request() (req *http.Request, body []byte, ok bool) {
	req, err := http.ReadRequest(p.br)
	if err != nil {
		return nil, nil, false
	}
	body, err = io.ReadAll(req.Body)
	return req, body, err == nil
}

// whole reads the body of a request.
func (p *peer) whole(req *http.Request) (body string, ok bool) {
	b, err := io.ReadAll(req.Body)
	return string(b), err == nil
}

// send writes bytes as they are.
func (p *peer) send(parts ...string) bool {
	for _, s := range parts {
		if _, err := io.WriteString(p.c, s); err != nil {
			return false
		}
	}
	return true
}

// buffer bounds what the system keeps of what is sent, in bytes.
func (p *peer) buffer(bytes int) error { return p.c.(*net.TCPConn).SetWriteBuffer(bytes) }

// reset closes the connection by a reset.
func (p *peer) reset() {
	p.c.(*net.TCPConn).SetLinger(0)
	p.c.Close()
}

// waitClosed returns when the other side has closed; it reports what it had
// sent before.
func (p *peer) waitClosed() (rest []byte, err error) { return io.ReadAll(p.br) }

// answering is the script that answers every request by the same bytes.
func answering(answer ...string) script {
	return func(p *peer) {
		for {
			if _, _, ok := p.request(); !ok {
				return
			}
			if !p.send(answer...) {
				return
			}
		}
	}
}
