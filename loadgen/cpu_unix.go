//go:build unix && !linux

package loadgen

import "syscall"

// processCPU is the CPU time of this process, user and system, in nanoseconds
// (the system counts microseconds).
func processCPU() int64 {
	var ru syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &ru) != nil {
		return 0
	}
	return ru.Utime.Nano() + ru.Stime.Nano()
}
