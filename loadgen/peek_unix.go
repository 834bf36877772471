//go:build unix

package loadgen

import (
	"net"
	"syscall"
)

// peerIdle reports whether nothing came on an idle connection: neither its end
// nor bytes that nobody asked for. One system call, used only on connections
// that were idle long enough for a server to close them.
func peerIdle(c net.Conn) bool {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	idle := false
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, rerr := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		idle = rerr == syscall.EAGAIN || rerr == syscall.EINTR
		return true
	})
	return err == nil && idle
}
