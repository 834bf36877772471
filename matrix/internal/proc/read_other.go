//go:build !linux

package proc

import "time"

// CPU is the CPU time of a process.
func CPU(int) (time.Duration, error) { return 0, ErrUnsupported }

// Self is the CPU time of this process.
func Self() (time.Duration, error) { return 0, ErrUnsupported }

// Read reads the tree under root.
func Read(int) (*Reading, error) { return nil, ErrUnsupported }

// ReadSelf reads this process alone, without its children.
func ReadSelf() (*Reading, error) { return nil, ErrUnsupported }

// Tree is root and every process below it.
func Tree(int) ([]int, error) { return nil, ErrUnsupported }

// ResetPeak does nothing here.
func ResetPeak() {}
