package shmfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
)

// headerBytes is one page of every system in use, so that the words begin at a
// page; the mapping itself starts at offset 0.
const headerBytes = 16384

// version is that of the header itself; what the words mean is the layout's.
const version = 1

var magic = [8]byte{'t', 'o', 'l', 'l', 'g', 's', 'h', 'm'}

// Layout identifies what the words mean: the hash of a name that changes
// whenever the meaning of a word does. Sizes do not belong in it.
type Layout uint64

// LayoutOf hashes a layout's name, e.g. "accounts/1".
func LayoutOf(name string) Layout {
	h := fnv.New64a()
	h.Write([]byte(name))
	return Layout(h.Sum64())
}

// ErrForeign is wrapped by the errors that refuse a file because of what it
// holds (as against one that could not be read).
var ErrForeign = errors.New("not a state file of this version")

// readHeader returns the number of words of f, which must have the layout.
func readHeader(f *os.File, layout Layout) (words int, err error) {
	var b [32]byte
	if _, err := f.ReadAt(b[:], 0); err != nil {
		return 0, fmt.Errorf("read header of %s: %w (%w)", f.Name(), err, ErrForeign)
	}
	if [8]byte(b[:8]) != magic {
		return 0, fmt.Errorf("%s does not begin with tollgate's mark: %w", f.Name(), ErrForeign)
	}
	if v := binary.NativeEndian.Uint64(b[8:]); v != version {
		return 0, fmt.Errorf("%s has header version %d, this build reads %d: %w", f.Name(), v, version, ErrForeign)
	}
	if l := Layout(binary.NativeEndian.Uint64(b[16:])); l != layout {
		return 0, fmt.Errorf("%s has layout %016x, this build reads %016x: %w", f.Name(), uint64(l), uint64(layout), ErrForeign)
	}
	n := binary.NativeEndian.Uint64(b[24:])
	info, err := f.Stat()
	if err != nil {
		return 0, fmt.Errorf("stat %s: %w", f.Name(), err)
	}
	if n > 1<<40 || info.Size() != int64(headerBytes+8*n) {
		return 0, fmt.Errorf("%s states %d words but is %d bytes long: %w", f.Name(), n, info.Size(), ErrForeign)
	}
	return int(n), nil
}

// writeHeader makes f a file of so many words, all zero, and then names its
// layout: a creation that was cut short leaves no valid header.
func writeHeader(f *os.File, words int, layout Layout) error {
	if err := reserve(f, int64(headerBytes+8*words)); err != nil {
		return fmt.Errorf("size %s: %w", f.Name(), err)
	}
	var b [32]byte
	copy(b[:], magic[:])
	binary.NativeEndian.PutUint64(b[8:], version)
	binary.NativeEndian.PutUint64(b[16:], uint64(layout))
	binary.NativeEndian.PutUint64(b[24:], uint64(words))
	if _, err := f.WriteAt(b[:], 0); err != nil {
		return fmt.Errorf("write header of %s: %w", f.Name(), err)
	}
	return nil
}
