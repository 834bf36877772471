package worker

import (
	"os/exec"
	"syscall"
)

// tie makes the kernel end the worker when the supervisor's thread that started
// it ends: SIGTERM, so that it drains.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
