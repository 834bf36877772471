package pgtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	dirPrefix = "tollgate-pg-"
	lockName  = "lock"
	// maxSocketDir leaves room for "/.s.PGSQL.65535" in the 104 bytes that the
	// shortest socket address (macOS) holds.
	maxSocketDir = 88
)

// makeDir makes the cluster's directory under parent and takes its lock.
func (c *Cluster) makeDir(parent string) error {
	if parent == "" {
		parent = os.TempDir()
		if !c.user.canEnter(parent) {
			parent = "/tmp" // e.g. TMPDIR is under root's home, closed to the server's user
		}
	}
	sweep(parent)
	dir, err := os.MkdirTemp(parent, dirPrefix)
	if err != nil {
		return err
	}
	c.dir = dir
	if len(dir) > maxSocketDir {
		_ = os.Remove(dir)
		return fmt.Errorf("directory %s is longer than a socket's path allows (%d bytes)", dir, maxSocketDir)
	}
	if c.lock, err = lockFile(filepath.Join(dir, lockName)); err == nil {
		err = c.user.own(dir)
	}
	if err != nil {
		return errors.Join(err, c.removeDir())
	}
	return nil
}

// removeDir removes the directory, then lets go of the lock.
func (c *Cluster) removeDir() error {
	err := os.RemoveAll(c.dir)
	if c.lock != nil {
		err = errors.Join(err, c.lock.Close())
		c.lock = nil
	}
	return err
}

// sweepAge keeps sweep off a directory whose maker has not locked it yet.
const sweepAge = time.Minute

// sweep removes the directories of clusters whose maker and server are gone:
// nobody holds their lock.
func sweep(parent string) {
	dirs, _ := filepath.Glob(filepath.Join(parent, dirPrefix+"*"))
	for _, d := range dirs {
		st, err := os.Lstat(d)
		if err != nil || !st.IsDir() || time.Since(st.ModTime()) < sweepAge {
			continue
		}
		lock, err := lockExisting(filepath.Join(d, lockName))
		if err != nil {
			continue // held, or not ours to open
		}
		_ = os.RemoveAll(d)
		_ = lock.Close()
	}
}
