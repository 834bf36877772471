//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package conn

import (
	"net"
	"testing"
)

// TestALookAllocatesNothingAndSeesTheEnd: under a light load every reuse of an
// upstream connection begins with one.
func TestALookAllocatesNothingAndSeesTheEnd(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	nc, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	peer, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	u := &upConn{nc: nc, raw: rawOf(nc), pool: &pool{}}
	if !idleAlive(u, 0) {
		t.Fatal("a quiet connection is taken for an ended one")
	}
	if n := testing.AllocsPerRun(100, func() { idleAlive(u, 0) }); n != 0 {
		t.Errorf("%v allocations per look", n)
	}
	if _, err := peer.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	for idleAlive(u, 0) { // until the byte has come: nobody asked for it
	}
	var b [1]byte
	if _, err := nc.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	peer.Close()
	for idleAlive(u, 0) { // until the end has come
	}
}
