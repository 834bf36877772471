package waterfall

import (
	"context"
	"errors"
	"fmt"

	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Run measures one repetition of a cell: so many blocks, the first of which is
// number first of the run. body is the request's, as no stream.
func Run(ctx context.Context, site *stack.Site, c *contract.Cell, body []byte, first, blocks int) (*results.Waterfall, error) {
	list := Layers()
	out := &results.Waterfall{Calls: int64(c.Requests / 2 * 2)}
	for _, l := range list {
		out.Layers = append(out.Layers, results.Layer{Name: l.Name, Absent: l.Absent})
	}
	for b := range blocks {
		got, err := runBlock(ctx, site, c, body, list, first+b)
		if err != nil {
			return nil, fmt.Errorf("block %d: %w", b+1, err)
		}
		for i := range out.Layers {
			if out.Layers[i].Absent == "" {
				out.Layers[i].Blocks = append(out.Layers[i].Blocks, got[0])
				got = got[1:]
			}
		}
	}
	return out, nil
}

// configured is a stack's caller as a subject.
type configured struct {
	*stack.Direct
	*stack.Caller
}

// runBlock assembles every configuration, warms it up and measures.
func runBlock(ctx context.Context, site *stack.Site, c *contract.Cell, body []byte, list []Layer, block int) (out []results.LayerBlock, err error) {
	var subjects []subject
	var open []*stack.Direct
	defer func() {
		for _, d := range open {
			err = errors.Join(err, d.Close())
		}
	}()
	for i, stages := range configurations(list) {
		if stages == nil {
			continue
		}
		d, err := site.StartStages(ctx, c, body, stages)
		if err != nil {
			return nil, fmt.Errorf("up to %s: %w", list[i].Name, err)
		}
		open = append(open, d)
		s := configured{d, d.Caller()}
		if err := call(ctx, s, c.Warmup); err != nil {
			return nil, fmt.Errorf("up to %s: %w", list[i].Name, err)
		}
		subjects = append(subjects, s)
	}
	return measure(ctx, subjects, c.Requests, block, processGauge())
}
