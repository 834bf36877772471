package shmfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// Mapping is a region and the open file behind it. The file can be handed to a
// child process, which maps it with Attach.
type Mapping struct {
	Region *shm.Region
	file   *os.File
	bytes  []byte
}

// ErrInUse says that another process holds the file.
var ErrInUse = errors.New("in use by another process")

// Open maps the file at path, and creates it with so many words when it does
// not exist. An empty file is refused: a crash or a full disk may have emptied
// it, and what it held must not begin anew in silence. The words of an existing file are as they were, and
// may be fewer or more than asked for. The file is locked until every process
// that inherited it has ended.
func Open(path string, words int, layout Layout) (*Mapping, error) {
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return nil, fmt.Errorf("%w: %s is empty: a crash or a full disk may have emptied it; remove it to begin anew", ErrForeign, path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open state file: %w", err)
	}
	m, err := open(f, words, layout)
	if err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

func open(f *os.File, words int, layout Layout) (*Mapping, error) {
	if err := lock(f); err != nil {
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("stat %s: %w", f.Name(), err)
	}
	if info.Size() == 0 {
		if err := writeHeader(f, words, layout); err != nil {
			return nil, err
		}
	}
	return Attach(f, layout)
}

// Replace puts a new file of so many words at path, fills it, and only then
// gives it the name: a crash in between leaves the old file. old, whose file has
// that path, is closed when the new one is in place.
func Replace(old *Mapping, path string, words int, layout Layout, fill func(*shm.Region)) (*Mapping, error) {
	next := path + ".new"
	if err := os.Remove(next); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove unfinished %s: %w", next, err)
	}
	m, err := Open(next, words, layout)
	if err != nil {
		return nil, err
	}
	fill(m.Region)
	err = m.Sync()
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("replace %s: %w", path, err)
	}
	if err := old.Close(); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// Anonymous maps a file of zero words that has no name: it goes with the last
// process that holds it.
func Anonymous(words int, layout Layout) (*Mapping, error) {
	f, err := os.CreateTemp(ramDir(), "tollgate-*.shm")
	if err != nil {
		return nil, fmt.Errorf("create shared memory: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, fmt.Errorf("unlink %s: %w", filepath.Base(f.Name()), err)
	}
	m, err := open(f, words, layout)
	if err != nil {
		f.Close()
		return nil, err
	}
	return m, nil
}

// Attach maps a file that another process made and handed over. It does not
// lock it: the inherited descriptor carries the lock. On success the mapping
// owns f.
func Attach(f *os.File, layout Layout) (*Mapping, error) {
	words, err := readHeader(f, layout)
	if err != nil {
		return nil, err
	}
	return mapFile(f, words)
}

// File is the open file, for a child process to inherit.
func (m *Mapping) File() *os.File { return m.file }

// Close unmaps the region and closes the file. Other mappings stay.
func (m *Mapping) Close() error {
	err := m.Region.Close()
	return errors.Join(err, m.file.Close())
}
