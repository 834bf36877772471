// Package proc reads what processes and the host spent: CPU time of a process
// tree to the nanosecond, memory, context switches, and how much others
// disturbed the host.
//
// CPU time comes from the CPU clock of each process (clock_gettime on the
// clock that belongs to a pid), never from /proc/PID/stat, whose ticks are
// 10 ms, and never from schedstat, which covers the main thread alone. One
// part has no finer source: the time of children that ended between two
// readings is read from their parent's cutime, in ticks.
//
// All of it is Linux; elsewhere every reading returns ErrUnsupported.
package proc

import "errors"

// ErrUnsupported is what every reading returns where the system has no
// /proc and no per-process CPU clocks.
var ErrUnsupported = errors.New("process readings need Linux (CPU clocks by pid and /proc)")
