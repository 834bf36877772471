package child

import (
	"errors"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

// terminate: Windows has no SIGTERM.
func terminate(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// KillPID is the planned fault of a kill cell.
func KillPID(int) error { return errors.New("kill cells need a Unix system") }

func usage(*exec.Cmd) (Usage, bool) { return Usage{}, false }
