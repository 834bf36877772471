package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// absentUpstream is the provider of a gateway that gets no request.
const absentUpstream = "127.0.0.1:9" // discard: a connection would be refused

// Boot starts a gateway, waits for its first healthy answer and for all its
// processes, and ends it.
func (site *Site) Boot(ctx context.Context, c *contract.Cell) (boot *results.Boot, err error) {
	dir, err := os.MkdirTemp(site.Dir, "boot-")
	if err != nil {
		return nil, err
	}
	s := &Stack{Cell: *c, site: site, dir: dir}
	defer func() {
		err = errors.Join(err, s.Close())
		if err != nil {
			err = fmt.Errorf("boot %s: %w", c.Key(), err)
		}
	}()
	if err := s.prepareLog(ctx, site.made.Add(1)); err != nil {
		return nil, err
	}
	if s.log.Store == logstore.Memory {
		return nil, errors.New("the memory log is no boot axis")
	}
	g, err := startOuterGate(ctx, site, c, absentUpstream, dir, s.log.DSN)
	if err != nil {
		return nil, err
	}
	s.gate = g
	boot = &results.Boot{HealthzNs: int64(g.healthy.Sub(g.started))}
	boot.Processes, err = countProcesses(ctx, g, Processes(c))
	return boot, err
}

// Processes is how many a gateway of the cell consists of when all are up: one
// worker serves in the process that was started, more have a supervisor.
func Processes(c *contract.Cell) int {
	if c.Workers > 1 {
		return c.Workers + 1
	}
	return 1
}

// countProcesses counts the gateway's tree once it has as many processes as it
// should, or when that did not happen in time. 0: the system does not tell.
func countProcesses(ctx context.Context, g *outerGate, want int) (n int, err error) {
	deadline := time.Now().Add(startTimeout)
	for {
		pids, err := proc.Tree(g.pid())
		if errors.Is(err, proc.ErrUnsupported) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if len(pids) == want || time.Now().After(deadline) {
			return len(pids), nil
		}
		select {
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		case <-time.After(pollEvery):
		}
	}
}
