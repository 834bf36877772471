package drive

import (
	"context"
	"fmt"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results"
)

// boots starts the gateway as often as the cell says, a record each. A start
// whose processes are not all there is broken.
func (d *Driver) boots(ctx context.Context, it *plan.Item) error {
	for n := range it.Cell.Requests {
		rec := &results.Section{
			Cell: it.Cell, Block: it.Block, Rep: it.Block*it.Cell.Requests + n, Order: it.Order, Started: time.Now().UTC(),
		}
		boot, err := d.Site.Boot(ctx, &it.Cell)
		if err != nil {
			return err
		}
		if want := stack.Processes(&it.Cell); boot.Processes != 0 && boot.Processes != want {
			return fmt.Errorf("%d processes came up, want %d", boot.Processes, want)
		}
		rec.Boot, rec.Finished = boot, time.Now().UTC()
		if err := d.section(rec); err != nil {
			return err
		}
	}
	return nil
}
