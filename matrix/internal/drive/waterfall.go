package drive

import (
	"context"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/waterfall"
	"github.com/tollgate-lab/tollgate/results"
)

// waterfall measures what each layer of the gateway costs. A call that fails
// breaks the cell: a difference of what did not work means nothing.
func (d *Driver) waterfall(ctx context.Context, it *plan.Item) error {
	rec := &results.Section{Cell: it.Cell, Block: it.Block, Rep: it.Block, Order: it.Order, Started: time.Now().UTC()}
	body, err := d.plainBody(it.Cell.Body)
	if err != nil {
		return err
	}
	rec.Waterfall, err = waterfall.Run(ctx, d.Site, &it.Cell, body, it.Block*plan.WaterfallBlocks, plan.WaterfallBlocks)
	if err != nil {
		return err
	}
	rec.Finished = time.Now().UTC()
	return d.section(rec)
}
