//go:build unix && !linux

package child

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the child into a group of its own, so that Ctrl-C reaches the
// runner alone.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
