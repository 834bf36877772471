package pglog

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// proxy stands between a writer and the server and breaks the connection at a
// chosen point of the next batch.
type proxy struct {
	ln     net.Listener
	server string

	mu   sync.Mutex
	plan *cut // of the next batch; nil: all passes
	cuts []*cut
	open []net.Conn
}

// cut is how one batch is broken.
type cut struct {
	at      cutPoint
	release func()        // holdDone: lets the server have its CopyDone
	held    chan struct{} // closed by release
	begun   chan struct{} // closed when the server has moved the mark and takes rows
	done    chan struct{} // closed when the cut has been made
}

type cutPoint int

const (
	afterCommit cutPoint = iota // the commit took place, its answer is lost
	beforeDone                  // the rows are there, the end of the COPY is not, and the server sees the end of the connection
	holdDone                    // the client sees the end of the connection while the server still waits, and commits later
)

func newProxy(t *testing.T, dsn string) (p *proxy, through string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	p = &proxy{server: u.Host}
	if p.ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	u.Host = p.ln.Addr().String()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := p.ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		p.ln.Close()
		p.mu.Lock()
		for _, c := range p.cuts {
			c.release()
		}
		for _, c := range p.open {
			c.Close()
		}
		p.mu.Unlock()
		all.Wait()
	})
	return p, u.String()
}

// arm plans the cut of the next batch.
func (p *proxy) arm(at cutPoint) *cut {
	held := make(chan struct{})
	c := &cut{
		at: at, held: held, release: sync.OnceFunc(func() { close(held) }),
		begun: make(chan struct{}), done: make(chan struct{}),
	}
	p.mu.Lock()
	p.plan = c
	p.cuts = append(p.cuts, c)
	p.mu.Unlock()
	return c
}

// take is the plan, once, for the connection whose batch begins.
func (p *proxy) take() *cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.plan
	p.plan = nil
	return c
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.open = append(p.open, client, server)
	p.mu.Unlock()

	batch := make(chan *cut, 1) // from the client's side to the server's
	var back sync.WaitGroup
	back.Go(func() { p.answers(client, server, batch) })
	defer back.Wait()
	defer server.Close()

	if passStartup(server, client) != nil {
		return
	}
	var now *cut
	for {
		kind, msg, err := readMessage(client)
		if err != nil {
			return
		}
		if kind == 'Q' && strings.Contains(string(msg), copySQL) {
			if now = p.take(); now != nil {
				batch <- now // before the server can answer
			}
		}
		if kind == 'c' && now != nil {
			switch now.at {
			case beforeDone:
				server.Close()
				client.Close()
				close(now.done)
				return
			case holdDone:
				<-now.begun
				client.Close()
				close(now.done)
				<-now.held
				_, _ = server.Write(msg)
				_, _ = io.Copy(io.Discard, server) // until the server has answered and sees the end
				return
			}
		}
		if _, err := server.Write(msg); err != nil {
			return
		}
	}
}

// answers passes what the server says, except the answer of a batch whose
// answer is to be lost.
func (p *proxy) answers(client, server net.Conn, batch <-chan *cut) {
	var now *cut
	copied := false
	for {
		kind, msg, err := readMessage(server)
		if err != nil {
			client.Close()
			return
		}
		select {
		case now = <-batch:
		default:
		}
		switch {
		case now == nil:
		case now.at == holdDone && kind == 'G': // CopyInResponse
			close(now.begun)
			return // the other side reads on
		case now.at == afterCommit:
			copied = copied || kind == 'C' && strings.HasPrefix(string(msg[5:]), "COPY")
			if copied && kind == 'Z' {
				client.Close()
				close(now.done)
				return
			}
			if copied {
				continue
			}
		}
		if _, err := client.Write(msg); err != nil {
			return
		}
	}
}

// passStartup passes the first message, which has no type byte. A request to
// cancel is lost: the driver sends one when a batch fails, and the fault that
// broke the batch may lose that too.
func passStartup(to io.Writer, from io.Reader) error {
	var head [4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return err
	}
	rest := make([]byte, binary.BigEndian.Uint32(head[:])-4)
	if _, err := io.ReadFull(from, rest); err != nil {
		return err
	}
	const cancelRequest = 80877102 // PostgreSQL manual, "Message Formats"
	if len(rest) >= 4 && binary.BigEndian.Uint32(rest) == cancelRequest {
		return errCancelLost
	}
	_, err := to.Write(append(head[:], rest...))
	return err
}

var errCancelLost = errors.New("cancel request lost")

// readMessage reads one message whole, head included.
func readMessage(from io.Reader) (kind byte, msg []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return 0, nil, err
	}
	msg = append(head[:], make([]byte, binary.BigEndian.Uint32(head[1:])-4)...)
	_, err = io.ReadFull(from, msg[5:])
	return head[0], msg, err
}
