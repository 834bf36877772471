package drive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

const (
	profileSeconds = 2
	// profiledLoad is the measured part of a repetition that is profiled: long
	// enough for the profile to begin and end inside it.
	profiledLoad = profileSeconds*time.Second + 1500*time.Millisecond
	// profileTimeout bounds the wait for the measured part to begin.
	profileTimeout = 30 * time.Second
	// ProfileTime is about what profiling one cell takes.
	ProfileTime = profiledLoad + time.Second
)

// Profiled is the cells of a plan that a CPU profile is kept of, each once: those
// of a gateway that is a process of its own, under load. A gateway of several
// workers serves its control listener from the supervisor, which carries no load.
func Profiled(p *plan.Plan) []contract.Cell {
	if len(p.Blocks) == 0 {
		return nil
	}
	var out []contract.Cell
	for i := range p.Blocks[0] {
		it := &p.Blocks[0][i]
		c := &it.Cell
		if it.Skip == nil && c.Target == results.TargetGateway && c.Shape == contract.External && c.Surface != "boot" && c.Workers <= 1 && c.Kill == "" {
			out = append(out, *c)
		}
	}
	return out
}

// profiles runs each cell once more, after every block, and keeps a CPU profile
// of its gateway. Nothing of these repetitions goes into the results: being
// profiled costs time.
func (d *Driver) profiles(ctx context.Context) error {
	cells := Profiled(d.Plan)
	if len(cells) == 0 {
		d.warnOnce("no CPU profile kept: no cell is a gateway of one worker in shape external")
		return nil
	}
	if err := os.MkdirAll(d.ProfileDir, 0o755); err != nil {
		return fmt.Errorf("CPU profiles: %w", err)
	}
	take := d.Profile
	if take == nil {
		take = d.profile
	}
	for i := range cells {
		c := &cells[i]
		d.Report.Begin("CPU profile of "+c.Key(), i, len(cells), time.Duration(len(cells)-i)*ProfileTime)
		text, err := take(ctx, c)
		if ctx.Err() != nil {
			d.sum.Interrupted = true
			return nil
		}
		if err != nil {
			d.warnOnce("no CPU profile of %s: %v", c.Key(), err)
			continue
		}
		file := filepath.Join(d.ProfileDir, ProfileName(c))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return fmt.Errorf("CPU profiles: %w", err)
		}
		d.sum.Profiles = append(d.sum.Profiles, file)
	}
	return nil
}

// ProfileName is a cell's key as a file's name.
func ProfileName(c *contract.Cell) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("=._-", r):
			return r
		case r == '/':
			return ','
		}
		return '_'
	}, c.Key()) + ".pprof"
}

// profile runs a cell's load and takes the profile within its measured part.
func (d *Driver) profile(ctx context.Context, c *contract.Cell) (profile []byte, err error) {
	j, err := job(c, d.DataDir)
	if err != nil {
		return nil, err
	}
	j.Requests, j.Duration, j.KeepRecords = 0, profiledLoad, false
	s, err := d.Site.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var run *stack.Run
	var loadErr error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run, loadErr = s.Load(ctx, j)
	}()
	defer func() {
		if err != nil {
			cancel(err) // nobody needs the rest of the load
		}
		<-ended
		cancel(nil)
		if err == nil {
			err = whole(run, loadErr)
		}
		err = errors.Join(err, s.Close())
	}()
	if err := poll(ctx, profileTimeout, func() (bool, error) {
		select {
		case <-ended:
			return false, errors.Join(errors.New("it ended first"), loadErr)
		default:
		}
		t, err := s.Truth(ctx)
		return t.Received > int64(j.Warmup), err
	}); err != nil {
		return nil, fmt.Errorf("wait for the load's measured part: %w", err)
	}
	return s.CPUProfile(ctx, profileSeconds)
}

// whole refuses a load that did something else than its cell says.
func whole(run *stack.Run, err error) error {
	if err != nil {
		return err
	}
	c := counts(run.Outcomes)
	if n := c.Failures(); n > 0 {
		return fmt.Errorf("%d of %d profiled requests failed: %v", n, run.Scheduled, run.Errors)
	}
	return nil
}
