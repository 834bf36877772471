package plan

import (
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// The estimate's constants are what cells took on a two-core machine of the
// project's reference kind. They size a plan; the time left of a running one
// comes from what its cells really took.
const (
	startExternal = 450 * time.Millisecond // processes up, two generator runs, drain, audit, canaries
	startInProc   = 150 * time.Millisecond
	startDirect   = 80 * time.Millisecond
	perWorker     = 40 * time.Millisecond  // each further process
	startPostgres = 250 * time.Millisecond // a fresh database, and dropping it
	killTail      = 800 * time.Millisecond // until the worker is back
	perBoot       = 150 * time.Millisecond

	wallFloor    = 30 * time.Microsecond // per request, enough in flight to fill two cores
	wallGateway  = 70 * time.Microsecond
	wallNetHTTP  = 180 * time.Microsecond // on top
	wallStore    = 40 * time.Microsecond  // on top: rows committed before answers end, or sent to a server
	wallFrame    = 5 * time.Microsecond   // per streamed frame and hop
	wallTogether = 400 * time.Nanosecond  // the same when frames come in one write
	wallKB       = 250 * time.Nanosecond  // per KB of request body and hop
	wallAlone    = 90 * time.Microsecond  // on top with one request in flight: nothing overlaps
	wallDirect   = 8 * time.Microsecond
	wallDirectKB = 700 * time.Nanosecond

	waterfallLayers  = 5                      // measured
	waterfallStart   = 40 * time.Millisecond  // of each: cores, accounts, stores, the mock's answer, garbage collected
	waterfallSettles = 450 * time.Millisecond // until the log store has the rows of a block
	waterfallCall    = 3 * time.Microsecond
	waterfallKB      = 430 * time.Nanosecond
	waterfallFrame   = 150 * time.Nanosecond
)

// Estimate is the wall time that a cell is likely to take.
func Estimate(c *contract.Cell, bodyBytes int) time.Duration {
	kb := time.Duration(bodyBytes) / 1024
	n := time.Duration(c.Requests + c.Warmup)
	if c.Surface == "boot" {
		return time.Duration(c.Requests) * (perBoot + time.Duration(c.Workers)*perWorker)
	}
	frames := time.Duration(c.Frames)
	if c.StreamEvery > 1 {
		frames /= time.Duration(c.StreamEvery)
	}
	if c.Shape == contract.Direct {
		if c.Surface == "waterfall" {
			calls := n * (waterfallCall + kb*waterfallKB + frames*waterfallFrame)
			return WaterfallBlocks * (waterfallLayers*(waterfallStart+calls) + waterfallSettles)
		}
		calls := n * (wallDirect + kb*wallDirectKB + frames*wallFrame/8)
		return startDirect + calls/time.Duration(max(1, min(c.Workers, 2)))
	}
	frame := wallFrame
	if c.Coalesce {
		frame = wallTogether
	}
	hops := time.Duration(2)
	each := wallGateway
	start := startExternal + time.Duration(c.Workers)*perWorker
	if c.Shape == contract.InProcess {
		start = startInProc
	}
	if c.Target == "floor" {
		hops, each = 1, wallFloor
	}
	if c.Engine == "nethttp" {
		each += wallNetHTTP
	}
	if c.LogStore == "postgres" {
		start += startPostgres
		each += wallStore
	}
	if c.Durability == "group" || c.Durability == "sync" {
		each += wallStore
	}
	if c.Durability == "sync" {
		each += 4 * wallStore
	}
	each += hops * (frames*frame + kb*wallKB)
	if c.Conc == 1 {
		each += wallAlone
	}
	if c.Kill != "" {
		start += killTail
	}
	total := start + n*each
	if c.RatePerS > 0 {
		total = max(total, start+time.Duration(float64(c.Requests)/c.RatePerS*float64(time.Second)))
	}
	return total
}

// Estimate is the wall time that the whole plan is likely to take. bodyBytes
// tells the size of a body by name.
func (p *Plan) Estimate(bodyBytes func(name string) int) time.Duration {
	var d time.Duration
	for _, b := range p.Blocks {
		for i := range b {
			if b[i].Skip == nil {
				d += Estimate(&b[i].Cell, bodyBytes(b[i].Cell.Body))
			}
		}
	}
	return d
}
