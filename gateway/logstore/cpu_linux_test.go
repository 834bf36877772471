package logstore_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuOfSelf is the CPU time of this process.
func cpuOfSelf() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

// cpuOf is the CPU time of processes, by their CPU clocks: procfs counts in
// steps of 10 ms. One that is gone counts nothing.
func cpuOf(pids []int) time.Duration {
	var sum time.Duration
	for _, pid := range pids {
		sum += clock(^int32(pid)<<3 | 2) // the clock id of a process: clock_getcpuclockid(3)
	}
	return sum
}

func clock(id int32) time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(id, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
