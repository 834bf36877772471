//go:build unix

package pgtest

import (
	"fmt"
	"os"
	"os/exec"
	osuser "os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// user is whom the server runs as: an unprivileged account when the caller is
// root, else the caller.
type user struct{ cred *syscall.Credential }

// serverUser picks the account: PostgreSQL's own, else the one that owns
// nothing.
func serverUser() (user, error) {
	if os.Geteuid() != 0 {
		return user{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := osuser.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 != nil || err2 != nil || uid == 0 {
			continue
		}
		return user{&syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), Groups: []uint32{uint32(gid)}}}, nil
	}
	return user{}, fmt.Errorf("the server refuses to run as root, and there is no account postgres or nobody")
}

func (u user) apply(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential = u.cred
	// A group of its own: the terminal's Ctrl-C is for the caller, who then
	// stops the server when it no longer needs it.
	cmd.SysProcAttr.Setpgid = true
}

// own gives path to the server's user.
func (u user) own(path string) error {
	if u.cred == nil {
		return nil
	}
	return os.Chown(path, int(u.cred.Uid), int(u.cred.Gid))
}

// canEnter reports whether the server's user can reach into dir: everyone may
// pass through it and through each directory above.
func (u user) canEnter(dir string) bool {
	if u.cred == nil {
		return true
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	for {
		st, err := os.Stat(dir)
		if err != nil || st.Mode().Perm()&0o001 == 0 {
			return false
		}
		up := filepath.Dir(dir)
		if up == dir {
			return true
		}
		dir = up
	}
}

// lockFile makes path and takes an exclusive lock on it, which every process
// that inherits the file holds with us.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return flock(f)
}

// lockExisting takes the lock of a file that is there and that nobody holds.
func lockExisting(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	return flock(f)
}

func flock(f *os.File) (*os.File, error) {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return f, nil
}

// shutdown is one of the postmaster's ways to end: a signal.
type shutdown = syscall.Signal

const (
	fast = syscall.SIGINT
	quit = syscall.SIGQUIT
)

func signal(c *Cluster, how shutdown) error { return c.cmd.Process.Signal(how) }
