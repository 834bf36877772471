package mockupstream

import "golang.org/x/sys/windows"

// processCPU is the CPU time of this process in nanoseconds, to the 100 ns of
// the system's counters.
func processCPU() int64 {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return 0
	}
	ticks := func(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }
	return 100 * (ticks(kernel) + ticks(user))
}
