package worker

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// keep runs the worker of one slot, again and again, until ctx ends (nil) or it
// cannot be kept alive. up is called when it is ready for the first time.
func (s *Supervisor) keep(ctx context.Context, slot int, up func()) error {
	r := s.opts.Restart
	unsound := 0
	for first := true; ; first = false {
		began := time.Now()
		wasReady, end := s.live(ctx, slot, func() {
			if up != nil {
				up()
				up = nil
			}
		})
		if ctx.Err() != nil {
			return nil
		}
		s.opts.Died(slot)
		if first && !wasReady {
			return fmt.Errorf("worker %d ended before it was ready: %w", slot, end)
		}
		if wasReady && time.Since(began) >= r.Steady {
			unsound = 0
		}
		if unsound++; unsound >= r.GiveUp {
			return fmt.Errorf("worker %d ended %d times in a row, the last time with: %w", slot, unsound, end)
		}
		wait := r.delay(unsound)
		s.opts.Logger.Error("worker ended, starting it again", "slot", slot, "end", end.Error(), "in_a_row", unsound, "after", wait.String())
		s.mu.Lock()
		s.restarts[slot]++
		s.mu.Unlock()
		if wait > 0 {
			// Nobody would accept what the kernel puts into this queue meanwhile.
			s.closeListener(slot)
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(wait):
			}
		}
	}
}

// live is one life of a worker, to its end. When ctx ends, Run's drain ends it.
func (s *Supervisor) live(ctx context.Context, slot int, up func()) (wasReady bool, end error) {
	p, err := s.enter(slot)
	if err != nil {
		return false, err
	}
	defer func() {
		s.mu.Lock()
		s.procs[slot] = nil
		s.mu.Unlock()
	}()
	limit := time.NewTimer(s.opts.Restart.Ready)
	defer limit.Stop()
	select {
	case <-p.ready:
		up()
	case <-p.dead:
		return p.isReady(), p.end()
	case <-ctx.Done():
	case <-limit.C:
		p.cmd.Process.Kill()
		<-p.dead
		return false, fmt.Errorf("it was not ready in %v", s.opts.Restart.Ready)
	}
	<-p.dead
	return p.isReady(), p.end()
}

// enter starts the process of a slot unless the end has begun: from here on
// signal reaches it.
func (s *Supervisor) enter(slot int) (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return nil, errors.New("draining")
	}
	if s.listeners[slot] == nil {
		ln, err := listen(s.addr)
		if err != nil {
			return nil, fmt.Errorf("listen again: %w", err)
		}
		s.listeners[slot] = ln
	}
	p, err := s.begin(slot, s.listeners[slot])
	if err != nil {
		return nil, err
	}
	s.procs[slot] = p
	return p, nil
}
