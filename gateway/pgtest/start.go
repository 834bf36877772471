package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Start makes and starts a cluster. ctx bounds the start only.
func Start(ctx context.Context, o Options) (_ *Cluster, err error) {
	if o.MaxConns < 0 || o.MaxConns > 10_000 {
		return nil, fmt.Errorf("start PostgreSQL: max conns: %d is not between 0 and 10000", o.MaxConns)
	}
	if o.StartTimeout <= 0 {
		o.StartTimeout = startTimeout
	}
	if o.Database == "" {
		o.Database = defaultDB
	}
	ctx, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	if o.BinDir == "" {
		if o.BinDir, err = Find(ctx); err != nil {
			return nil, err
		}
	} else if p := missingIn(o.BinDir); p != "" {
		return nil, fmt.Errorf("start PostgreSQL: %s lacks %s", o.BinDir, p)
	}
	c := &Cluster{bin: o.BinDir, database: o.Database, password: rand.Text()}
	if c.version, err = versionOf(ctx, c.bin); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	if c.user, err = serverUser(); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	if err := c.makeDir(o.Dir); err != nil {
		return nil, fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("start PostgreSQL %s in %s: %w%s", c.version, c.dir, err, c.logTail())
			c.removeDir()
		}
	}()
	if err := c.initdb(ctx); err != nil {
		return nil, err
	}
	if err := c.serve(ctx, o); err != nil {
		return nil, err
	}
	if _, err := c.CreateDatabase(ctx, o.Database); err != nil {
		return nil, errors.Join(err, c.end(quit))
	}
	return c, nil
}

// initdb makes the data directory. Its files are not synced: they are as
// temporary as the cluster; what the server itself writes later is.
func (c *Cluster) initdb(ctx context.Context) error {
	pw := filepath.Join(c.dir, "password")
	if err := os.WriteFile(pw, []byte(c.password+"\n"), 0o600); err != nil {
		return err
	}
	defer os.Remove(pw)
	if err := c.user.own(pw); err != nil {
		return err
	}
	_, err := c.run(ctx, "initdb", "-D", c.data(), "-U", superuser, "-A", "scram-sha-256", "--pwfile", pw, "-E", "UTF8", "--locale=C", "--no-sync")
	return err
}

// serve starts the server on a free port. Another process can take the port
// between the look and the bind, so it tries a few.
func (c *Cluster) serve(ctx context.Context, o Options) error {
	var err error
	for range 5 {
		if c.port, err = freePort(); err != nil {
			return err
		}
		text := conf(o.settings(c.dir, c.port))
		if err := os.WriteFile(filepath.Join(c.data(), "postgresql.auto.conf"), []byte(text), 0o600); err != nil {
			return err
		}
		if err := c.user.own(filepath.Join(c.data(), "postgresql.auto.conf")); err != nil {
			return err
		}
		if err = c.launch(); err != nil {
			return err
		}
		if err = c.awaitReady(ctx); err == nil {
			return nil
		}
		if !errors.Is(err, errExited) {
			return errors.Join(err, c.end(quit))
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return err
}

func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
}

var errExited = errors.New("the server ended while it started")

// awaitReady polls pg_isready until the server accepts connections.
func (c *Cluster) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := c.run(ctx, "pg_isready", "-q", "-h", "127.0.0.1", "-p", fmt.Sprint(c.port), "-t", "1")
		if err == nil {
			// Another server on this port would answer too.
			select {
			case <-c.exited:
				return errExited
			default:
				return nil
			}
		}
		select {
		case <-c.exited:
			return errExited
		case <-ctx.Done():
			return fmt.Errorf("the server does not accept connections: %w", errors.Join(ctx.Err(), err))
		case <-tick.C:
		}
	}
}

// run runs one of the server's programs to its end and returns what it
// printed.
func (c *Cluster) run(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program(c.bin, name), args...)
	cmd.Dir = c.dir
	cmd.Env = append(c.env(), "PGPASSWORD="+c.password)
	cmd.WaitDelay = time.Second
	c.user.apply(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return string(out), nil
}
