package child

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Process is a child. Make one with Start.
type Process struct {
	name   string
	cmd    *exec.Cmd
	log    *tail
	exited chan struct{}
	err    error // how it ended; read after exited
}

// Options says what to start. The zero value of all but Name and File will do.
type Options struct {
	Name   string // in errors
	File   string
	Args   []string
	Dir    string
	Env    []string  // nil: this process's own
	Stdin  io.Reader // nil: none; a file is handed on, others are copied and must not block for ever
	Stdout io.Writer // nil: into the tail that errors show, as standard error
}

// stopAfter is how long a child may take to end by itself.
const stopAfter = 20 * time.Second

// Start starts a program in a process group of its own.
func Start(o Options) (*Process, error) {
	c := &Process{name: o.Name, log: new(tail), exited: make(chan struct{})}
	c.cmd = exec.Command(o.File, o.Args...)
	c.cmd.Dir, c.cmd.Env, c.cmd.Stdin = o.Dir, o.Env, o.Stdin
	c.cmd.Stderr = c.log
	c.cmd.Stdout = c.log
	if o.Stdout != nil {
		c.cmd.Stdout = o.Stdout
	}
	c.cmd.WaitDelay = 2 * time.Second // a grandchild may hold the pipes
	ownGroup(c.cmd)
	started := make(chan error, 1)
	go func() {
		// The kernel's notice of a parent's death goes by the thread that started
		// the child, so that thread must live as long as the child.
		runtime.LockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.err = c.cmd.Wait()
			close(c.exited)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Name, err)
	}
	return c, nil
}

// PID is the child's process id.
func (c *Process) PID() int { return c.cmd.Process.Pid }

// Exited is closed when the child has ended.
func (c *Process) Exited() <-chan struct{} { return c.exited }

// Err is how the child ended; only after Exited.
func (c *Process) Err() error { return c.err }

// Usage is what the child used, from the system's account of its end; only
// after Exited.
func (c *Process) Usage() (u Usage, ok bool) { return usage(c.cmd) }

// Usage is the account of a child that ended, of its own children that it
// waited for too.
type Usage struct {
	CPU          time.Duration
	PeakRSSBytes int64
	Voluntary    int64 // context switches
	Involuntary  int64
}

// Fault is an error about the child with the end of its log.
func (c *Process) Fault(format string, args ...any) error {
	err := fmt.Errorf(c.name+": "+format, args...)
	if t := c.log.String(); t != "" {
		return fmt.Errorf("%w\n%s's log ends:\n\t%s", err, c.name, strings.ReplaceAll(t, "\n", "\n\t"))
	}
	return err
}

// Stop asks the child to end and waits; a child that does not is killed, and
// that is an error. What is left of its group is killed in any case.
func (c *Process) Stop() error {
	select {
	case <-c.exited:
		killGroup(c.cmd)
		return nil
	default:
	}
	if err := terminate(c.cmd); err != nil {
		killGroup(c.cmd)
	}
	t := time.NewTimer(stopAfter)
	defer t.Stop()
	select {
	case <-c.exited:
		killGroup(c.cmd)
		if c.err != nil {
			return c.Fault("ended with %w", c.err)
		}
		return nil
	case <-t.C:
		killGroup(c.cmd)
		<-c.exited
		return c.Fault("did not end within %v and was killed", stopAfter)
	}
}

// Kill ends the child and its group at once.
func (c *Process) Kill() {
	killGroup(c.cmd)
	<-c.exited
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailBytes = 4000

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if len(t.buf) > 2*tailBytes {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-tailBytes:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := bytes.TrimSpace(t.buf)
	if len(b) > tailBytes {
		b = b[len(b)-tailBytes:]
	}
	return string(b)
}

// Lines is a writer that passes whole lines on to To, without waiting: lines
// that nobody takes are dropped.
type Lines struct {
	To   chan<- string
	rest []byte
}

// maxLine bounds a line that never ends.
const maxLine = 64 << 10

// Write never fails but for a line without end.
func (l *Lines) Write(p []byte) (int, error) {
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			if len(l.rest) > maxLine {
				return 0, errors.New("a line without end")
			}
			return len(p), nil
		}
		select {
		case l.To <- string(l.rest[:i]):
		default: // nobody waits for more lines
		}
		l.rest = l.rest[i+1:]
	}
}
