package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Sink takes what was measured: a results.Writer.
type Sink interface {
	Repetition(*results.Repetition) error
	Section(*results.Section) error
}

// Reporter is told how far the run is: a progress.Meter.
type Reporter interface {
	Begin(cell string, done, total int, left time.Duration)
	Say(format string, args ...any)
}

// Driver runs one plan.
type Driver struct {
	Plan    *plan.Plan
	Site    *stack.Site
	Sink    Sink
	Report  Reporter
	DataDir string // folder of shared data; "": none
	// ProfileDir is where a CPU profile of each gateway cell is kept, taken in a
	// repetition of its own after the last block. "": none are taken.
	ProfileDir string

	// Canary and Measure stand in for proc.Canary and a real repetition, in
	// tests.
	Canary  func() (time.Duration, error)
	Measure func(ctx context.Context, c *contract.Cell) (*results.Repetition, error)
	Profile func(ctx context.Context, c *contract.Cell) ([]byte, error) // likewise

	started  time.Time
	canaries []time.Duration
	took     map[string]time.Duration // by cell key, its last repetition
	pending  []*results.Repetition    // of the section's block that runs now
	warned   map[string]bool
	sum      Summary
}

// Summary is how a run went.
type Summary struct {
	Ran, Skipped int
	Interrupted  bool
	// AuditFailures names each check that did not hold, Broken each cell that
	// could not be run.
	AuditFailures []string
	Broken        []string
	Warnings      []string
	Skips         []results.Skipped // each once
	Profiles      []string          // files of CPU profiles
}

// Clean reports whether every cell ran and every audit held.
func (s *Summary) Clean() bool { return len(s.AuditFailures) == 0 && len(s.Broken) == 0 }

// maxAttempts is a noisy cell's runs: the first and two more.
const maxAttempts = 3

// firstCanaries is the readings that make the run's first median.
const firstCanaries = 7

// Run runs every block. When ctx ends it stops in the middle of a cell, keeps
// what was measured and says so in the summary.
func (d *Driver) Run(ctx context.Context) (*Summary, error) {
	d.started, d.took, d.warned = time.Now(), make(map[string]time.Duration), make(map[string]bool)
	if d.Canary == nil {
		d.Canary = func() (time.Duration, error) { return proc.Canary(proc.CanaryRounds) }
	}
	if d.Measure == nil {
		d.Measure = d.repetition
	}
	for range firstCanaries {
		d.canary()
	}
	done, total := 0, 0
	for _, b := range d.Plan.Blocks {
		total += len(b)
	}
	for _, block := range d.Plan.Blocks {
		for i := range block {
			it := &block[i]
			if i > 0 && block[i-1].Cell.Section != it.Cell.Section {
				if err := d.flush(); err != nil {
					return &d.sum, err
				}
			}
			d.Report.Begin(it.Cell.Key(), done, total, d.left(done))
			err := d.item(ctx, it)
			if ctx.Err() != nil {
				d.sum.Interrupted = true
				return &d.sum, d.flush()
			}
			if err != nil {
				return &d.sum, errors.Join(err, d.flush())
			}
			done++
		}
		if err := d.flush(); err != nil {
			return &d.sum, err
		}
	}
	if d.ProfileDir != "" {
		return &d.sum, d.profiles(ctx)
	}
	return &d.sum, nil
}

// item runs or skips one item of the plan. An error ends the run; a cell that
// cannot be run does not.
func (d *Driver) item(ctx context.Context, it *plan.Item) error {
	if it.Skip != nil {
		return d.skip(it, *it.Skip)
	}
	begun := time.Now()
	var err error
	switch {
	case it.Cell.Surface == "boot":
		err = d.boots(ctx, it)
	case it.Cell.Surface == "waterfall":
		err = d.waterfall(ctx, it)
	case it.Cell.Shape == contract.Direct:
		err = d.direct(ctx, it)
	default:
		err = d.load(ctx, it)
	}
	d.took[it.Cell.Key()] = time.Since(begun)
	if err == nil {
		d.sum.Ran++
		return nil
	}
	if ctx.Err() != nil || errors.Is(err, errSink) {
		return err
	}
	// The whole error, with the end of a process's log, is said once.
	d.Report.Say("could not run %s: %v", it.Cell.Key(), err)
	short, _, _ := strings.Cut(err.Error(), "\n")
	d.sum.Broken = append(d.sum.Broken, fmt.Sprintf("block %d: %s", it.Block+1, short))
	return d.skip(it, results.Skipped{Reason: "could not be run: " + short})
}

// errSink is a failure to write results: there is no point in going on.
var errSink = errors.New("write results")

func (d *Driver) skip(it *plan.Item, why results.Skipped) error {
	d.sum.Skipped++
	if !slices.Contains(d.sum.Skips, why) {
		d.sum.Skips = append(d.sum.Skips, why)
	}
	now := time.Now().UTC()
	if it.Cell.Surface == "boot" || it.Cell.Shape == contract.Direct {
		return d.section(&results.Section{Cell: it.Cell, Block: it.Block, Rep: it.Block, Order: it.Order, Started: now, Finished: now, Skipped: &why})
	}
	d.pending = append(d.pending, &results.Repetition{Cell: it.Cell, Block: it.Block, Rep: it.Block, Order: it.Order, Started: now, Finished: now, Skipped: &why})
	return nil
}

// load runs a load cell until it is quiet, at most maxAttempts times.
func (d *Driver) load(ctx context.Context, it *plan.Item) error {
	for attempt := range maxAttempts {
		begun := time.Now()
		before := d.lastCanary()
		rep, err := d.Measure(ctx, &it.Cell)
		if err != nil {
			return err
		}
		after := d.canary()
		rep.Block, rep.Rep, rep.Order, rep.Attempt = it.Block, it.Block, it.Order, attempt
		rep.Noise.CanaryNs = int64(before+after) / 2
		median := proc.Median(d.canaries)
		if median > 0 {
			rep.Noise.CanaryRatio = float64(rep.Noise.CanaryNs) / float64(median)
		}
		if attempt > 0 {
			rep.Marks = append(rep.Marks, results.MarkRetry)
		}
		noisy := rep.Noise.CanaryRatio > d.Plan.Spec.CanaryLimit
		if noisy {
			rep.Marks = append(rep.Marks, results.MarkNoisy)
		}
		d.pending = append(d.pending, rep)
		d.audited(it, rep)
		if !noisy || attempt+1 == maxAttempts || !d.affords(time.Since(begun)) {
			return nil
		}
	}
	return nil
}

func (d *Driver) audited(it *plan.Item, rep *results.Repetition) {
	for _, c := range rep.Audit.Failed() {
		line := fmt.Sprintf("%s, block %d: %s: want %d, got %d", it.Cell.Key(), it.Block+1, c.Name, c.Want, c.Got)
		if c.Detail != "" {
			line += " (" + c.Detail + ")"
		}
		if len(rep.Errors) > 0 {
			line += "; first error: " + rep.Errors[0]
		}
		d.sum.AuditFailures = append(d.sum.AuditFailures, line)
		d.Report.Say("audit: %s", line)
	}
}

// flush marks what the rig bound and writes the section's block.
func (d *Driver) flush() error {
	markBound(d.pending)
	for _, rep := range d.pending {
		if err := d.Sink.Repetition(rep); err != nil {
			return fmt.Errorf("%w: %w", errSink, err)
		}
	}
	d.pending = nil
	return nil
}

func (d *Driver) section(s *results.Section) error {
	if err := d.Sink.Section(s); err != nil {
		return fmt.Errorf("%w: %w", errSink, err)
	}
	return nil
}

func (d *Driver) canary() time.Duration {
	c, err := d.Canary()
	if err != nil {
		d.warnOnce("%v", err)
		return 0
	}
	d.canaries = append(d.canaries, c)
	return c
}

func (d *Driver) lastCanary() time.Duration {
	if len(d.canaries) == 0 {
		return 0
	}
	return d.canaries[len(d.canaries)-1]
}

func (d *Driver) warnOnce(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if d.warned[w] {
		return
	}
	d.warned[w] = true
	d.sum.Warnings = append(d.sum.Warnings, w)
}

// affords reports whether the spec's budget has room for one more run of a
// cell that took so long.
func (d *Driver) affords(again time.Duration) bool {
	budget := d.Plan.Spec.Budget
	if budget == 0 {
		return true
	}
	done := d.sum.Ran + d.sum.Skipped
	return time.Since(d.started)+again+d.left(done) <= budget
}

// left is the time that the items after the first done are likely to take:
// what the same cell took before, else the plan's estimate, scaled by how far
// estimates were off so far.
func (d *Driver) left(done int) time.Duration {
	var known, estimated, left time.Duration
	n := 0
	var unknown time.Duration
	for _, block := range d.Plan.Blocks {
		for i := range block {
			n++
			it := &block[i]
			if it.Skip != nil {
				continue
			}
			est := plan.Estimate(&it.Cell, d.bodyBytes(it.Cell.Body))
			took, seen := d.took[it.Cell.Key()]
			switch {
			case n <= done && seen:
				known += took
				estimated += est
			case n > done && seen:
				left += took
			case n > done:
				unknown += est
			}
		}
	}
	if estimated > 0 {
		unknown = time.Duration(float64(unknown) * float64(known) / float64(estimated))
	}
	return left + unknown
}

func (d *Driver) bodyBytes(name string) int { return BodyBytes(d.DataDir, name) }

// BodyBytes is the size of a body by name, 0 when it cannot be read.
func BodyBytes(dataDir, name string) int {
	b, err := bodies.Read(dataDir, name)
	if err != nil {
		return 0
	}
	return len(b)
}
