package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Options is what a supervisor is made of.
type Options struct {
	Count int    // workers, at least 1
	Addr  string // host:port; port 0 is resolved once
	// Command is the command of a worker; nil: this program with its arguments.
	// Its environment and files are added to.
	Command func(slot int) *exec.Cmd
	// Payload is told to every worker.
	Payload []byte
	// Files are inherited by every worker, in this order.
	Files []*os.File
	// Died is called when the worker of a slot has ended unasked, before the next
	// one begins.
	Died func(slot int)
	// DrainTimeout is how long workers may drain before they are killed.
	DrainTimeout time.Duration
	Logger       *slog.Logger
	Restart      Restart
}

// Restart says when a dead worker is started again. A zero field is the default.
type Restart struct {
	Steady time.Duration // a worker that lived so long was sound: 10s
	First  time.Duration // wait before the second restart of an unsound one: 100ms, then doubled
	Most   time.Duration // longest wait: 5s
	GiveUp int           // unsound lives in a row that end the gateway: 10
	Ready  time.Duration // most time until a worker is ready: 1m
}

func (r Restart) complete() Restart {
	r.Steady = or(r.Steady, 10*time.Second)
	r.First = or(r.First, 100*time.Millisecond)
	r.Most = or(r.Most, 5*time.Second)
	r.GiveUp = or(r.GiveUp, 10)
	r.Ready = or(r.Ready, time.Minute)
	return r
}

func or[T comparable](v, def T) T {
	var zero T
	if v == zero {
		return def
	}
	return v
}

// delay is the wait before the restart that follows so many unsound lives in a
// row.
func (r Restart) delay(unsound int) time.Duration {
	if unsound <= 1 {
		return 0
	}
	d := r.First
	for range min(unsound-2, 30) {
		d = min(2*d, r.Most)
	}
	return min(d, r.Most)
}

// Supervisor watches the workers.
type Supervisor struct {
	opts  Options
	addr  string
	spawn spawner
	ready chan struct{} // closed when every slot was ready once

	mu        sync.Mutex
	listeners []*net.TCPListener // nil: closed
	procs     []*process         // nil: none runs
	restarts  []int
	draining  bool
}

// New takes the port. Workers begin with Run.
func New(opts Options) (*Supervisor, error) {
	if opts.Count < 1 {
		return nil, fmt.Errorf("supervise %d workers: want at least 1", opts.Count)
	}
	if opts.Command == nil {
		path, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find this program: %w", err)
		}
		opts.Command = func(int) *exec.Cmd {
			cmd := exec.Command(path, os.Args[1:]...)
			cmd.Args[0] = os.Args[0]
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			return cmd
		}
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Died == nil {
		opts.Died = func(int) {}
	}
	opts.Restart = opts.Restart.complete()
	addr, err := claim(opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s := &Supervisor{
		opts: opts, addr: addr, spawn: newSpawner(), ready: make(chan struct{}),
		listeners: make([]*net.TCPListener, opts.Count), procs: make([]*process, opts.Count), restarts: make([]int, opts.Count),
	}
	for slot := range s.listeners {
		if s.listeners[slot], err = listen(addr); err != nil {
			s.closeListeners()
			return nil, fmt.Errorf("listen for worker %d: %w", slot, err)
		}
	}
	return s, nil
}

// Addr is the address that the workers share.
func (s *Supervisor) Addr() string { return s.addr }

// Ready is closed when every worker has been ready once.
func (s *Supervisor) Ready() <-chan struct{} { return s.ready }

// State is one slot as it is now.
type State struct {
	Slot     int  `json:"slot"`
	PID      int  `json:"pid"` // 0: none runs
	Ready    bool `json:"ready"`
	Restarts int  `json:"restarts"`
}

// States is every slot.
func (s *Supervisor) States() []State {
	s.mu.Lock()
	defer s.mu.Unlock()
	states := make([]State, s.opts.Count)
	for slot := range states {
		states[slot] = State{Slot: slot, Restarts: s.restarts[slot]}
		if p := s.procs[slot]; p != nil {
			states[slot].PID, states[slot].Ready = p.cmd.Process.Pid, p.isReady()
		}
	}
	return states
}

// Draining reports whether the end has begun.
func (s *Supervisor) Draining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// Run starts the workers and watches them until ctx ends, which drains them, or
// until one cannot be kept alive, which is an error and drains the others.
func (s *Supervisor) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer close(s.spawn)
	var slots, up sync.WaitGroup
	up.Add(s.opts.Count)
	for slot := range s.opts.Count {
		slots.Go(func() {
			if err := s.keep(ctx, slot, up.Done); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		up.Wait()
		close(s.ready)
	}()
	<-ctx.Done()
	failure := context.Cause(ctx)
	if errors.Is(failure, context.Canceled) || errors.Is(failure, context.DeadlineExceeded) {
		failure = nil
	}
	return errors.Join(failure, s.drain(&slots))
}

// drain asks every worker to end, and kills what has not after DrainTimeout.
func (s *Supervisor) drain(slots *sync.WaitGroup) error {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	s.closeListeners()
	s.signal(func(p *process) os.Signal {
		if !p.isReady() {
			return os.Kill // it has nothing to drain
		}
		return syscall.SIGTERM
	})
	done := make(chan struct{})
	go func() {
		slots.Wait()
		close(done)
	}()
	// A worker keeps the limit itself; the grace is for what it does afterwards.
	const grace = 5 * time.Second
	select {
	case <-done:
		return nil
	case <-time.After(s.opts.DrainTimeout + grace):
	}
	s.Kill()
	<-done
	return fmt.Errorf("workers did not drain in %v and were killed", s.opts.DrainTimeout+grace)
}

// Kill ends every worker at once.
func (s *Supervisor) Kill() { s.signal(func(*process) os.Signal { return os.Kill }) }

func (s *Supervisor) signal(which func(*process) os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for slot, p := range s.procs {
		if p == nil {
			continue
		}
		sig := which(p)
		if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
			s.opts.Logger.Warn("signal worker", "slot", slot, "signal", sig.String(), "error", err)
		}
	}
}

func (s *Supervisor) closeListeners() {
	for slot := range s.listeners {
		s.closeListener(slot)
	}
}

func (s *Supervisor) closeListener(slot int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.listeners[slot] != nil {
		s.listeners[slot].Close()
		s.listeners[slot] = nil
	}
}
