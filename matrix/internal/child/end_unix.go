//go:build unix

package child

import (
	"os/exec"
	"syscall"
)

func terminate(cmd *exec.Cmd) error { return cmd.Process.Signal(syscall.SIGTERM) }

// killGroup kills whatever is left of the child's group. No such group is the
// usual case and no error.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// KillPID sends SIGKILL to one process: the planned fault of a kill cell.
func KillPID(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }

func usage(cmd *exec.Cmd) (Usage, bool) {
	if cmd.ProcessState == nil {
		return Usage{}, false
	}
	r, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return Usage{}, false
	}
	return Usage{
		CPU:          cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(),
		PeakRSSBytes: int64(r.Maxrss) * maxRSSUnit, Voluntary: int64(r.Nvcsw), Involuntary: int64(r.Nivcsw),
	}, true
}
