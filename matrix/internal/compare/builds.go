package compare

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/build"
	"github.com/tollgate-lab/tollgate/matrix/internal/host"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// cellOf is a cell of our gateway under a comparison's load.
func cellOf(o *Options, ld Load, section string, conc int) *contract.Cell {
	c := &contract.Cell{
		Section: section, Shape: contract.External, Target: results.TargetGateway, Engine: o.Engine, Profile: o.Profile,
		Surface: "chat", Body: ld.Body, Frames: ld.Frames, Coalesce: ld.Coalesce, Conc: conc, Workers: o.Workers, LogStore: "off",
	}
	if ld.Frames > 0 {
		c.StreamEvery = 1
	}
	if o.Profile == contract.Governed {
		c.LogStore, c.Durability = "sqlite", "async"
	}
	return c
}

// The sides of Builds.
const (
	SideBuild   = "build"
	SideAgainst = "against"
)

// Builds compares the gateway of site's programs with another build of it, on
// the mock and under the generator of site's programs. There is no target:
// what is asked is whether one is cheaper.
func Builds(ctx context.Context, site *stack.Site, against build.Programs, o Options, say func(string, ...any)) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.WithDefaults()
	ld, _ := load(o.Load)
	other := &stack.Site{Programs: site.Programs, Dir: site.Dir}
	other.Programs.Gateway = against.Gateway
	on := func(name string, site *stack.Site) side {
		return side{name, func(ctx context.Context, conc int) (Sample, error) {
			s, err := site.Start(ctx, cellOf(&o, ld, "compare-builds", conc))
			if err != nil {
				return Sample{}, err
			}
			return underLoad(ctx, s, &o, conc)
		}}
	}
	ours, theirs := on(SideBuild, site), on(SideAgainst, other)
	r := &Report{
		Name: "builds", Started: time.Now().UTC(), Fingerprint: host.Fingerprint(),
		Ours: fmt.Sprintf("gateway of %s (engine %s, profile %s)", site.Programs.From, o.Engine, o.Profile), Theirs: "the gateway of " + against.From,
		Conditions: []string{
			fmt.Sprintf("same mock, same load (our generator, closed loop, %s), fresh processes for each measured part", ld.Words),
			fmt.Sprintf("%d blocks, sides in turn, order swapped from block to block; %v measured after %d requests a connection", o.Blocks, o.Duration, warmup),
			fmt.Sprintf("%d worker process(es) on either side; CPU time of the whole process tree over the measured part", o.Workers),
		},
	}
	var err error
	r.Samples, err = blocks(ctx, &o, ours, theirs, say)
	r.Rows = rows(r.Samples, o.Conc, ours.name, theirs.name, func(int) []*targets.Target { return nil })
	return r, err
}

// confidence is that of the interval which decides between two builds.
const confidence = 0.95

// Decide says for each concurrency whether the first build is cheaper: whether
// the interval of the ratios within a block excludes 1.
func (r *Report) Decide(w io.Writer) error {
	for _, row := range r.Rows {
		i := results.IntervalOf(r.ratios(row.Conc), confidence)
		verdict := "no difference shown"
		switch {
		case !i.Bounded():
			verdict = "too few blocks for an interval of 95 %"
		case i.Hi < 1:
			verdict = "cheaper"
		case i.Lo > 1:
			verdict = "dearer"
		}
		if _, err := fmt.Fprintf(w, "%d connections: ratio %.3f (%.3f to %.3f, %d blocks): %s\n", row.Conc, i.Center, i.Lo, i.Hi, i.N, verdict); err != nil {
			return err
		}
	}
	return nil
}

// ratios is the ratio of each block, less a block that lacks a side.
func (r *Report) ratios(conc int) (out []float64) {
	for _, a := range r.Samples {
		if a.Conc != conc || a.Side != SideBuild {
			continue
		}
		for _, b := range r.Samples {
			if b.Conc == conc && b.Block == a.Block && b.Side == SideAgainst && b.CPUUs > 0 {
				out = append(out, a.CPUUs/b.CPUUs)
			}
		}
	}
	return out
}
