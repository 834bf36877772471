package epoll

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The sockets are non-blocking, so these calls return at once: they are made
// without telling the scheduler, which saves its bookkeeping on each.

func sysRead(fd int32, p []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if e != 0 {
		return 0, e
	}
	return int(n), 0
}

func sysSend(fd int32, p []byte) (int, syscall.Errno) {
	n, _, e := syscall.RawSyscall6(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), unix.MSG_NOSIGNAL, 0, 0)
	if e != 0 {
		return 0, e
	}
	return int(n), 0
}

// sysSendv sends up to len(iov) pieces with one call.
func sysSendv(fd int32, iov []unix.Iovec) (int, syscall.Errno) {
	var h unix.Msghdr
	h.Iov = &iov[0]
	h.SetIovlen(len(iov))
	n, _, e := syscall.RawSyscall(unix.SYS_SENDMSG, uintptr(fd), uintptr(unsafe.Pointer(&h)), unix.MSG_NOSIGNAL)
	if e != 0 {
		return 0, e
	}
	return int(n), 0
}

func iovec(p []byte) unix.Iovec {
	v := unix.Iovec{Base: unsafe.SliceData(p)}
	v.SetLen(len(p))
	return v
}

// pollNow collects what has happened already.
func pollNow(ep int, evs []unix.EpollEvent) int {
	n, _, e := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(ep), uintptr(unsafe.Pointer(&evs[0])), uintptr(len(evs)), 0, 0, 0)
	if e != 0 {
		return 0
	}
	return int(n)
}

// transient reports an errno after which the call is simply made again later.
func transient(e syscall.Errno) bool { return e == unix.EAGAIN || e == unix.EINTR }
