//go:build unix

package enginetest

import "syscall"

// setSendBuffer bounds a socket's send buffer, in bytes. Sockets that a listener
// accepts inherit its bound.
func setSendBuffer(fd uintptr, n int) error {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, n)
}

// setReceiveBuffer bounds a socket's receive buffer, in bytes.
func setReceiveBuffer(fd uintptr, n int) error {
	return syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, n)
}
