package epoll

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/gateway/engine"
)

// TestNoDescriptorLeft: what cannot be accepted stays ready for ever, so the
// loop must not ask again at once, nor say so each time.
func TestNoDescriptorLeft(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	var said bytes.Buffer
	e := &Engine{o: engine.Options{Now: engine.NewClock(), Logger: slog.New(slog.NewTextHandler(&said, nil))}}
	l, err := newLoop(e, ln.(*net.TCPListener))
	if err != nil {
		t.Fatal(err)
	}
	defer l.release()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	evs := make([]unix.EpollEvent, 4)
	ready := func() bool {
		n, err := unix.EpollWait(l.ep, evs, 0)
		if err != nil {
			t.Fatal(err)
		}
		return n > 0
	}
	if !ready() {
		t.Fatal("a client waits, and the loop is not told")
	}
	l.now = e.o.Now()
	for range 3 {
		l.rest(unix.EMFILE)
	}
	if ready() {
		t.Error("the loop is told while it rests")
	}
	if n := strings.Count(said.String(), "limit of open files"); n != 1 {
		t.Errorf("said %d times", n)
	}
	l.resume()
	if !ready() {
		t.Error("the loop is not told after its rest")
	}
}
