package drive

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/audit"
	"github.com/tollgate-lab/tollgate/matrix/internal/child"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// killer kills one worker of a stack once a third of the load is through.
type killer struct {
	stack  *stack.Stack
	before []int // pids of the gateway's tree when all was well
	done   chan struct{}
	kill   *audit.Kill
	err    error
	stop   context.CancelFunc
}

// settleTimeout bounds how long a new worker may take to come up.
const settleTimeout = 15 * time.Second

// startKiller watches the load and strikes. For a cell without a planned kill
// it does nothing.
func startKiller(ctx context.Context, s *stack.Stack) *killer {
	k := &killer{stack: s, done: make(chan struct{}), stop: func() {}}
	if s.Cell.Kill != "worker" {
		close(k.done)
		return k
	}
	ctx, k.stop = context.WithCancel(ctx)
	go func() {
		defer close(k.done)
		k.kill, k.err = k.strike(ctx)
	}()
	return k
}

func (k *killer) strike(ctx context.Context) (*audit.Kill, error) {
	root := k.stack.GatewayPID()
	want := k.stack.Cell.Workers + 1
	if err := poll(ctx, settleTimeout, func() (ok bool, err error) {
		k.before, err = proc.Tree(root)
		return len(k.before) == want, err
	}); err != nil {
		return nil, fmt.Errorf("kill a worker: %d processes, want %d: %w", len(k.before), want, err)
	}
	after := int64(k.stack.Cell.Warmup + k.stack.Cell.Requests/3)
	if err := poll(ctx, settleTimeout, func() (bool, error) {
		l, err := k.stack.Ledger(ctx)
		return l["answered"] >= after, err
	}); err != nil {
		return nil, fmt.Errorf("kill a worker: the load did not get going: %w", err)
	}
	victim := slices.Max(slices.DeleteFunc(slices.Clone(k.before), func(pid int) bool { return pid == root }))
	kill := &audit.Kill{At: contract.Now(), WantProcesses: want}
	if err := child.KillPID(victim); err != nil {
		return nil, fmt.Errorf("kill worker %d: %w", victim, err)
	}
	return kill, nil
}

// wait ends the watch, the load being over.
func (k *killer) wait() (*audit.Kill, error) {
	if k.stack.Cell.Kill == "" {
		return nil, nil
	}
	select {
	case <-k.done:
	case <-time.After(settleTimeout):
	}
	k.stop()
	<-k.done
	return k.kill, k.err
}

// settled waits for the replacement and counts the processes.
func (k *killer) settled(ctx context.Context) (processes int, replaced bool) {
	root := k.stack.GatewayPID()
	_ = poll(ctx, settleTimeout, func() (bool, error) {
		now, err := proc.Tree(root)
		processes = len(now)
		replaced = slices.ContainsFunc(now, func(pid int) bool { return !slices.Contains(k.before, pid) })
		return replaced && processes == len(k.before), err
	}) // the audit says what is missing
	return processes, replaced
}

// poll asks until it holds, fails, or time is up.
func poll(ctx context.Context, limit time.Duration, ask func() (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("not within %v", limit))
	defer cancel()
	for {
		ok, err := ask()
		if err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(2 * time.Millisecond):
		}
	}
}
