package loadgen

import "golang.org/x/sys/unix"

// processCPU is the CPU time of this process, user and system, in nanoseconds.
func processCPU() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return ts.Nano()
}
