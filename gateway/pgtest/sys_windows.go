package pgtest

import (
	"context"
	"os"
	"os/exec"
)

// user is the caller: the server's programs drop privileges by themselves.
type user struct{}

func serverUser() (user, error)   { return user{}, nil }
func (user) apply(*exec.Cmd)      {}
func (user) own(string) error     { return nil }
func (user) canEnter(string) bool { return true }

// Without file locks that children inherit, left directories stay.
func lockFile(string) (*os.File, error)     { return nil, nil }
func lockExisting(string) (*os.File, error) { return nil, os.ErrInvalid }

// shutdown is pg_ctl's name of a way to end.
type shutdown = string

const (
	fast = "fast"
	quit = "immediate"
)

// signal asks pg_ctl, which knows the named pipes that stand for signals.
func signal(c *Cluster, how shutdown) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	_, err := c.run(ctx, "pg_ctl", "stop", "-D", c.data(), "-m", how, "-W")
	return err
}
