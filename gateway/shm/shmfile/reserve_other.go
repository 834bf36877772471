//go:build !linux

package shmfile

import "os"

func reserve(f *os.File, size int64) error { return f.Truncate(size) }
