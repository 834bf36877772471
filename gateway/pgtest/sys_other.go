//go:build !linux

package pgtest

import "os/exec"

// dieWithParent does nothing: only Linux tells a child of its parent's death.
func dieWithParent(*exec.Cmd) {}

// childrenOf is unknown without procfs.
func childrenOf(int) []int { return nil }
