package plan

import (
	"fmt"
	"io"
	"time"
)

// Print writes the plan for people: the order of every block, the skipped
// cells with their reasons, the estimate.
func (p *Plan) Print(w io.Writer, bodyBytes func(name string) int, allBlocks bool) error {
	run, skipped := p.Items()
	_, err := fmt.Fprintf(w, "%s: %s\n%d blocks, seed %d, %d cells to run, %d skipped, about %v (budget %v)\n",
		p.Spec.Name, p.Spec.Title, len(p.Blocks), p.Seed, run, skipped,
		p.Estimate(bodyBytes).Round(time.Second), p.Spec.Budget)
	if err != nil {
		return err
	}
	for b, items := range p.Blocks {
		if b > 0 && !allBlocks {
			_, err = fmt.Fprintf(w, "\nblocks 2 to %d: the same cells, each in an order of its own (--all shows them)\n", len(p.Blocks))
			return err
		}
		if _, err := fmt.Fprintf(w, "\nblock %d\n", b+1); err != nil {
			return err
		}
		for i := range items {
			it := &items[i]
			tail := fmt.Sprintf("  requests=%d warmup=%d", it.Cell.Requests, it.Cell.Warmup)
			if it.Skip != nil {
				tail = "  SKIPPED: " + it.Skip.Reason
				if it.Skip.Install != "" {
					tail += " (" + it.Skip.Install + ")"
				}
			}
			if _, err := fmt.Fprintf(w, "  %3d %s%s\n", it.Order+1, it.Cell.Key(), tail); err != nil {
				return err
			}
		}
	}
	return nil
}
