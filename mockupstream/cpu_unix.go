//go:build unix && !linux

package mockupstream

import "golang.org/x/sys/unix"

// processCPU is the CPU time of this process in nanoseconds, to the
// microsecond.
func processCPU() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
