package plan

import (
	"errors"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// WaterfallBlocks is the blocks of a waterfall in one repetition, each with
// pieces of its own: a spec of five repetitions makes the six blocks that an
// interval of 95 % wants, and some to spare.
const WaterfallBlocks = 2

// settleDirect is settle for the cells that have no socket: by no engine and
// no process of its own, each worker a goroutine that calls one at a time. One
// worker is what no workers means.
func settleDirect(c *contract.Cell) error {
	c.Conc, c.Engine = 1, ""
	if c.Workers == 1 {
		c.Workers = 0
	}
	switch {
	case c.LogStore == "postgres":
		return errors.New("shape direct has no database: log off or sqlite")
	case c.StreamEvery > 1:
		return errors.New("shape direct streams always or never: its answer is fetched once")
	case c.Surface == "embeddings":
		return errors.New("shape direct knows surface chat alone")
	}
	if c.Surface != "waterfall" {
		return nil
	}
	// Its configurations go from bare to governed, whatever a spec's defaults.
	c.Workers = 0
	switch {
	case c.Profile != contract.Governed:
		return errors.New("waterfall goes from bare to governed: want profile governed")
	case c.LogStore == "off":
		return errors.New("the last layer of a waterfall is the log: want a store")
	case c.Requests < 2:
		return errors.New("waterfall calls each configuration twice in a block: want requests of at least 2")
	}
	return nil
}
