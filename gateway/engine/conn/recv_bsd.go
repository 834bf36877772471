//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package conn

import "syscall"

// recvPeek is recv(2) with MSG_PEEK.
func recvPeek(fd uintptr, b []byte) (int, error) {
	n, _, err := syscall.Recvfrom(int(fd), b, syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return n, err
}
