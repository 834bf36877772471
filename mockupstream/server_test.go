package mockupstream

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

func start(t testing.TB, o Options) *Server {
	t.Helper()
	srv, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

// client is a client on a raw socket.
type client struct {
	*net.TCPConn
	r *bufio.Reader
}

func dial(t testing.TB, srv *Server) *client {
	t.Helper()
	nc, err := net.Dial("tcp", srv.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nc.Close() })
	return &client{nc.(*net.TCPConn), bufio.NewReader(nc)}
}

// ask sends a request and reads the answer to its end; err is that of the
// body's end.
func (c *client) ask(t testing.TB, request string) (status int, body []byte, err error) {
	t.Helper()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return 0, nil, err
	}
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}

// until polls until the condition holds.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("not reached: %s", what)
		case <-tick.C:
		}
	}
}

func withID(id uint64) string {
	var b [contract.IDLen]byte
	contract.PutID(b[:], id)
	return contract.HeaderRequestID + ": " + string(b[:]) + "\r\n"
}

func TestMalformed(t *testing.T) {
	srv := start(t, Options{})
	c := dial(t, srv)
	status, _, err := c.ask(t, "GET / HTTP/1.1\r\n\r\n")
	if status != 400 || err != nil {
		t.Errorf("status %d, %v", status, err)
	}
	if _, err := c.r.ReadByte(); err != io.EOF {
		t.Errorf("after a refusal: %v, want the end", err)
	}
	half := dial(t, srv)
	if _, err := io.WriteString(half, "POST / HTTP/1.1\r\nContent-Le"); err != nil {
		t.Fatal(err)
	}
	_ = half.Close()
	idle := dial(t, srv)
	_ = idle.Close()
	until(t, "two malformed requests on three connections", func() bool {
		g := srv.Truth()
		return g.Malformed == 2 && g.Connections == 3
	})
	if g := srv.Truth(); g.Received != 0 || g.PeerLeft != 0 || g.ByStatus["400"] != 1 {
		t.Errorf("%+v", g)
	}
}

// A peer that is still sending when its request is refused gets the refusal.
func TestRefusalReachesASender(t *testing.T) {
	srv := start(t, Options{MaxBodyBytes: 1000})
	c := dial(t, srv)
	body := strings.Repeat("x", 1<<20)
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(c, post(chat, "HTTP/1.1", "", body))
		sent <- err
	}()
	resp, err := http.ReadResponse(c.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 413 || !resp.Close {
		t.Errorf("status %d, close %v", resp.StatusCode, resp.Close)
	}
	if err := <-sent; err != nil {
		t.Errorf("the sender was cut off: %v", err)
	}
}

func TestCloseEndsWaits(t *testing.T) {
	long := Wait{Kind: WaitConstant, MeanUs: maxWaitUs}
	for _, s := range []Script{
		{Timing: Timing{First: long}},
		{Timing: Timing{Gap: long}},
		{Faults: []Fault{{Kind: FaultStall, Every: 1}}},
	} {
		srv, err := New(Options{Script: s})
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Start(); err != nil {
			t.Fatal(err)
		}
		c := dial(t, srv)
		if _, err := io.WriteString(c, post(chat, "HTTP/1.1", withID(1), streamBody)); err != nil {
			t.Fatal(err)
		}
		until(t, "received", func() bool { return srv.Truth().Received == 1 })
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
		if g := srv.Truth(); g.PeerLeft != 0 || g.Answered != 0 {
			t.Errorf("%+v", g)
		}
		if err := srv.Close(); err != nil {
			t.Errorf("second close: %v", err)
		}
		if err := srv.Start(); err == nil {
			t.Error("a closed server started")
		}
	}
}

func TestStartNamesTheAddress(t *testing.T) {
	srv := start(t, Options{})
	for _, o := range []Options{{Listen: srv.Addr()}, {Control: srv.ControlAddr()}} {
		other, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Start(); err == nil || !strings.Contains(err.Error(), o.Listen+o.Control) {
			t.Errorf("a taken address: %v", err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
}
