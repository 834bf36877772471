//go:build !unix

package shmfile

import (
	"errors"
	"os"
)

// Supported reports whether this system can share memory between processes.
const Supported = false

var errUnsupported = errors.New("memory shared between processes needs a Unix system")

func mapFile(*os.File, int) (*Mapping, error) { return nil, errUnsupported }

// Sync has nothing to do where nothing can be mapped.
func (m *Mapping) Sync() error { return errUnsupported }

func lock(*os.File) error { return errUnsupported }

func ramDir() string { return os.TempDir() }
