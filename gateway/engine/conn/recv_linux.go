package conn

import (
	"syscall"
	"unsafe"
)

// recvPeek is recv(2) with MSG_PEEK on a socket that does not block: the
// scheduler need not be told of it, and no address is wanted.
func recvPeek(fd uintptr, b []byte) (int, error) {
	n, _, e := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)),
		syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0)
	if e != 0 {
		return 0, e
	}
	return int(n), nil
}
