package worker

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
)

// process is one incarnation of a worker.
type process struct {
	cmd   *exec.Cmd
	job   *os.File      // kept open: its end tells the worker that we are gone
	ready chan struct{} // closed when the worker said so
	dead  chan struct{} // closed when it has ended
	err   error         // of Wait, once dead is closed
}

// spawner starts processes from one thread, which ends when the channel is
// closed, because the kernel's tie is to the thread that started them.
type spawner chan func()

func newSpawner() spawner {
	s := make(spawner)
	go func() {
		runtime.LockOSThread()
		for f := range s {
			f()
		}
	}()
	return s
}

func (s spawner) start(cmd *exec.Cmd) error {
	done := make(chan error)
	s <- func() { done <- cmd.Start() }
	return <-done
}

// begin starts the worker of a slot. It returns as soon as the process runs.
func (s *Supervisor) begin(slot int, ln *net.TCPListener) (*process, error) {
	p := &process{ready: make(chan struct{}), dead: make(chan struct{})}
	var theirs []*os.File
	defer func() { closeAll(theirs) }()
	jobIn, jobOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	theirs = append(theirs, jobIn)
	readyIn, readyOut, err := os.Pipe()
	if err != nil {
		jobOut.Close()
		return nil, err
	}
	theirs = append(theirs, readyOut)
	socket, err := ln.File()
	if err != nil {
		closeAll([]*os.File{jobOut, readyIn})
		return nil, fmt.Errorf("hand listener over: %w", err)
	}
	theirs = append(theirs, socket)
	p.job = jobOut
	p.cmd = s.opts.Command(slot)
	p.cmd.Env = append(p.cmd.Environ(), Variable+"=1")
	p.cmd.ExtraFiles = append([]*os.File{jobIn, readyOut, socket}, s.opts.Files...)
	tie(p.cmd)
	if err := s.spawn.start(p.cmd); err != nil {
		closeAll([]*os.File{jobOut, readyIn})
		return nil, fmt.Errorf("start: %w", err)
	}
	go p.tell(&message{Slot: slot, Count: s.opts.Count, Files: len(s.opts.Files), Payload: s.opts.Payload})
	go p.listenReady(readyIn)
	go p.wait()
	return p, nil
}

// tell may block on a pipe that the worker does not read: a large config.
func (p *process) tell(m *message) {
	if err := writeMessage(p.job, m); err != nil {
		p.cmd.Process.Kill() // it can only have ended; Wait says how
	}
}

func (p *process) listenReady(r *os.File) {
	defer r.Close()
	if _, err := io.ReadFull(r, make([]byte, 1)); err == nil {
		close(p.ready)
	}
}

func (p *process) wait() {
	p.err = p.cmd.Wait()
	p.job.Close()
	close(p.dead)
}

// end says how the process ended, in words.
func (p *process) end() error {
	if p.err == nil {
		return errors.New("it ended by itself")
	}
	return p.err
}

func (p *process) isReady() bool {
	select {
	case <-p.ready:
		return true
	default:
		return false
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}
