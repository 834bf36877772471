//go:build unix

package shmfile

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// Supported reports whether this system can share memory between processes.
const Supported = true

func mapFile(f *os.File, words int) (*Mapping, error) {
	b, err := unix.Mmap(int(f.Fd()), 0, headerBytes+8*words, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	w := unsafe.Slice((*int64)(unsafe.Pointer(&b[headerBytes])), words)
	return &Mapping{Region: shm.Of(w, func() error { return unix.Munmap(b) }), file: f, bytes: b}, nil
}

// Sync writes the words back to the disk, against a crash of the host; a crash
// of the process needs none.
func (m *Mapping) Sync() error {
	if err := unix.Msync(m.bytes, unix.MS_SYNC); err != nil {
		return fmt.Errorf("sync %s: %w", m.file.Name(), err)
	}
	return nil
}

func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}

// ramDir is a folder in memory where there is one: counters that nobody keeps
// need no disk.
func ramDir() string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() && unix.Access(shared, unix.W_OK) == nil {
		return shared
	}
	return os.TempDir()
}
