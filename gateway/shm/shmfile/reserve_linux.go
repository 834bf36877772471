package shmfile

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve gives f so many bytes of zeros that the file system has really set
// aside: a store into a page that it could not provide later would be a fatal
// signal, not an error.
func reserve(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) {
		return f.Truncate(size)
	}
	return err
}
