package drive

import (
	"context"
	"runtime"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/results"
)

// direct calls the exchange with no socket, one call after another.
func (d *Driver) direct(ctx context.Context, it *plan.Item) error {
	rec := &results.Section{Cell: it.Cell, Block: it.Block, Rep: it.Block, Order: it.Order, Started: time.Now().UTC()}
	body, err := bodies.Read(d.DataDir, it.Cell.Body)
	if err != nil {
		return err
	}
	if body, err = bodies.Plain(body); err != nil {
		return err
	}
	x, err := d.Site.StartDirect(ctx, &it.Cell, body)
	if err != nil {
		return err
	}
	for range it.Cell.Warmup {
		if err := x.Call(); err != nil {
			break // the measured part will tell
		}
	}
	hist := results.NewHistogram()
	out := &results.Direct{Calls: int64(it.Cell.Requests)}
	runtime.GC()
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	cpu0, cpuErr := proc.Self()
	for i := range it.Cell.Requests {
		if i%256 == 0 && ctx.Err() != nil {
			break
		}
		start := time.Now()
		err := x.Call()
		took := time.Since(start)
		if err == nil {
			err = hist.RecordValue(max(int64(took), 1))
		}
		if err != nil {
			out.Failures++
			if out.FirstFailure == "" {
				out.FirstFailure = err.Error()
			}
		}
	}
	cpu1, _ := proc.Self()
	runtime.ReadMemStats(&m1)
	if err := x.Close(); err != nil {
		rec.Warnings = append(rec.Warnings, err.Error())
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if cpuErr == nil {
		out.CPUNs = int64(cpu1 - cpu0)
	}
	n := float64(it.Cell.Requests)
	out.AllocsPerOp = float64(m1.Mallocs-m0.Mallocs) / n
	out.BytesPerOp = float64(m1.TotalAlloc-m0.TotalAlloc) / n
	if out.CallNs, err = results.EncodeHistogram(hist); err != nil {
		return err
	}
	if out.Failures > 0 {
		d.sum.AuditFailures = append(d.sum.AuditFailures, it.Cell.Key()+": "+out.FirstFailure)
		d.Report.Say("audit: %s: %d of %d calls failed: %s", it.Cell.Key(), out.Failures, out.Calls, out.FirstFailure)
	}
	rec.Direct, rec.Finished = out, time.Now().UTC()
	return d.section(rec)
}
