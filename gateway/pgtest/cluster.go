package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Cluster is a running server.
type Cluster struct {
	bin, version string
	user         user
	dir          string // holds data, socket and log
	lock         *os.File
	port         int
	database     string
	password     string

	cmd    *exec.Cmd
	exited chan struct{} // closed when the server has ended
	ended  error         // how; read after exited

	stopping sync.Once
	stopErr  error
}

func (c *Cluster) data() string { return filepath.Join(c.dir, "data") }

// LogPath is the server's log file.
func (c *Cluster) LogPath() string { return filepath.Join(c.dir, "log") }

// Version is the server's version, such as "15.18".
func (c *Cluster) Version() string { return c.version }

// Port is the TCP port on 127.0.0.1.
func (c *Cluster) Port() int { return c.port }

// DSN is the connection URL of the cluster's own database over TCP.
func (c *Cluster) DSN() string { return c.DSNFor(c.database) }

// DSNFor is the connection URL of a database over TCP.
func (c *Cluster) DSNFor(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, c.password), Host: fmt.Sprintf("127.0.0.1:%d", c.port),
		Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// SocketDSN is the connection string of a database over the Unix socket, which
// spares each message the loopback device.
func (c *Cluster) SocketDSN(database string) string {
	return fmt.Sprintf("host='%s' port=%d user=%s password=%s dbname='%s' sslmode=disable", c.dir, c.port, superuser, c.password, database)
}

// PID is the postmaster's process id.
func (c *Cluster) PID() int { return c.cmd.Process.Pid }

// PIDs is the postmaster and its present children: the processes whose CPU
// time is the server's. A backend that ended is in the postmaster's children's
// time. Where the system does not tell, it is the postmaster alone.
func (c *Cluster) PIDs() []int { return append([]int{c.PID()}, childrenOf(c.PID())...) }

// CreateDatabase makes a database and returns its DSN.
func (c *Cluster) CreateDatabase(ctx context.Context, name string) (dsn string, err error) {
	_, err = c.run(ctx, "createdb", append(c.connArgs(), "--maintenance-db=postgres", "--", name)...)
	if err != nil {
		return "", fmt.Errorf("create database %q: %w", name, err)
	}
	return c.DSNFor(name), nil
}

// DropDatabase ends the connections to a database and removes it.
func (c *Cluster) DropDatabase(ctx context.Context, name string) error {
	_, err := c.run(ctx, "dropdb", append(c.connArgs(), "--force", "--maintenance-db=postgres", "--", name)...)
	if err != nil {
		return fmt.Errorf("drop database %q: %w", name, err)
	}
	return nil
}

// EndSessions ends every session of a database, as an administrator would.
func (c *Cluster) EndSessions(ctx context.Context, name string) error {
	_, err := c.run(ctx, "psql", append(c.connArgs(), "-X", "-q", "-d", "postgres",
		"-c", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+strings.ReplaceAll(name, "'", "''")+"'")...)
	if err != nil {
		return fmt.Errorf("end the sessions of database %q: %w", name, err)
	}
	return nil
}

func (c *Cluster) connArgs() []string {
	return []string{"-h", "127.0.0.1", "-p", fmt.Sprint(c.port), "-U", superuser, "-w"}
}

// launch starts the postmaster.
func (c *Cluster) launch() error {
	log, err := os.OpenFile(c.LogPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(program(c.bin, "postgres"), "-D", c.data())
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, c.env(), log, log
	if c.lock != nil {
		// The server holds the directory's lock too: whoever sweeps sees it as
		// long as any of them lives.
		cmd.ExtraFiles = []*os.File{c.lock}
	}
	c.user.apply(cmd)
	dieWithParent(cmd)
	c.cmd, c.exited = cmd, make(chan struct{})
	started := make(chan error)
	go func() {
		// The kernel's notice of the parent's death goes by the thread that
		// started the child: this one lives as long as the server.
		runtime.LockOSThread()
		if err := cmd.Start(); err != nil {
			started <- err
			return
		}
		started <- nil
		c.ended = cmd.Wait()
		close(c.exited)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return nil
}

// env is the environment of the server and its programs: nothing of the
// caller's, since PG… variables would change what they do.
func (c *Cluster) env() []string {
	env := []string{"LC_ALL=C", "TZ=UTC", "HOME=" + c.dir, "PATH=" + c.bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	for _, k := range []string{"SystemRoot", "TEMP", "LD_LIBRARY_PATH"} {
		if v := os.Getenv(k); v != "" {
			env = append(env, k+"="+v)
		}
	}
	return env
}

// Exited is closed when the server has ended, whoever ended it.
func (c *Cluster) Exited() <-chan struct{} { return c.exited }

// Stop ends the server in order: connections are cut, a checkpoint is
// written. It removes the cluster's directory. Later calls return what the
// first one did.
func (c *Cluster) Stop() error { return c.stop(fast) }

// StopImmediate ends the server as a crash would: the next start would
// recover. It removes the cluster's directory.
func (c *Cluster) StopImmediate() error { return c.stop(quit) }

func (c *Cluster) stop(how shutdown) error {
	c.stopping.Do(func() {
		err := c.end(how)
		if err != nil {
			err = fmt.Errorf("stop PostgreSQL in %s: %w%s", c.dir, err, c.logTail())
		}
		c.stopErr = errors.Join(err, c.removeDir())
	})
	return c.stopErr
}

// Crash kills the server and every backend, keeping the directory; Restart
// brings it back, with recovery.
func (c *Cluster) Crash() error { return c.end(quit) }

// Restart starts a server that has ended, on the same port and data.
func (c *Cluster) Restart(ctx context.Context) error {
	select {
	case <-c.exited:
	default:
		return fmt.Errorf("restart PostgreSQL in %s: it is running", c.dir)
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := c.launch()
	if err == nil {
		err = c.awaitReady(ctx)
	}
	if err != nil {
		return fmt.Errorf("restart PostgreSQL in %s: %w%s", c.dir, err, c.logTail())
	}
	return nil
}

// end signals the postmaster and waits; one that does not end in time is
// killed.
func (c *Cluster) end(how shutdown) error {
	select {
	case <-c.exited:
		return nil
	default:
	}
	if err := signal(c, how); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	t := time.NewTimer(stopTimeout)
	defer t.Stop()
	select {
	case <-c.exited:
		return nil
	case <-t.C:
		_ = c.cmd.Process.Kill()
		<-c.exited
		return fmt.Errorf("no end within %v: killed", stopTimeout)
	}
}

// logTail is the last lines of the log, for an error's text.
func (c *Cluster) logTail() string {
	const most = 20
	b, err := os.ReadFile(c.LogPath())
	if err != nil || len(b) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	return "\nthe server's log ends:\n\t" + strings.Join(lines, "\n\t")
}
