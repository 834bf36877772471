package drive

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results"
)

// direct calls the exchange with no socket: one call after another, from as
// many callers at once as the cell has workers.
func (d *Driver) direct(ctx context.Context, it *plan.Item) error {
	rec := &results.Section{Cell: it.Cell, Block: it.Block, Rep: it.Block, Order: it.Order, Started: time.Now().UTC()}
	body, err := d.plainBody(it.Cell.Body)
	if err != nil {
		return err
	}
	x, err := d.Site.StartDirect(ctx, &it.Cell, body)
	if err != nil {
		return err
	}
	callers := make([]*caller, max(it.Cell.Workers, 1))
	for i := range callers {
		n := share(it.Cell.Requests, len(callers), i)
		callers[i] = &caller{Caller: x.Caller(), calls: n, hist: results.NewHistogram()}
		for range share(it.Cell.Warmup, len(callers), i) {
			if err := callers[i].Call(); err != nil {
				break // the measured part will tell
			}
		}
	}
	out, err := together(ctx, callers)
	if closeErr := x.Close(); closeErr != nil {
		rec.Warnings = append(rec.Warnings, closeErr.Error())
	}
	if err != nil {
		return err
	}
	if out.Failures > 0 {
		d.sum.AuditFailures = append(d.sum.AuditFailures, it.Cell.Key()+": "+out.FirstFailure)
		d.Report.Say("audit: %s: %d of %d calls failed: %s", it.Cell.Key(), out.Failures, out.Calls, out.FirstFailure)
	}
	rec.Direct, rec.Finished = out, time.Now().UTC()
	return d.section(rec)
}

// plainBody is a body by name, as no stream.
func (d *Driver) plainBody(name string) ([]byte, error) {
	body, err := bodies.Read(d.DataDir, name)
	if err != nil {
		return nil, err
	}
	return bodies.Plain(body)
}

// share is part i of n, in parts that differ by one at most.
func share(n, parts, i int) int {
	out := n / parts
	if i < n%parts {
		out++
	}
	return out
}

// caller makes its share of the calls and times each.
type caller struct {
	*stack.Caller
	calls    int
	hist     *hdrhistogram.Histogram
	failures int64
	first    error // of them
}

func (c *caller) run(ctx context.Context) {
	for i := range c.calls {
		if i%256 == 0 && ctx.Err() != nil {
			return
		}
		start := time.Now()
		err := c.Call()
		took := time.Since(start)
		if err == nil {
			err = c.hist.RecordValue(max(int64(took), 1))
		}
		if err != nil {
			c.failures++
			if c.first == nil {
				c.first = err
			}
		}
	}
}

// together lets all callers go at once and adds up what they did.
func together(ctx context.Context, callers []*caller) (*results.Direct, error) {
	out := new(results.Direct)
	var ready, done sync.WaitGroup
	ready.Add(len(callers))
	start := make(chan struct{})
	for _, c := range callers {
		out.Calls += int64(c.calls)
		done.Go(func() {
			ready.Done()
			<-start
			c.run(ctx)
		})
	}
	ready.Wait() // the goroutines' own memory is not the calls'
	runtime.GC()
	var m0, m1 runtime.MemStats
	runtime.ReadMemStats(&m0)
	cpu0, cpuErr := proc.Self()
	begun := time.Now()
	close(start)
	done.Wait()
	out.WallNs = int64(time.Since(begun))
	cpu1, _ := proc.Self()
	runtime.ReadMemStats(&m1)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if cpuErr == nil {
		out.CPUNs = int64(cpu1 - cpu0)
	}
	n := float64(out.Calls)
	out.AllocsPerOp = float64(m1.Mallocs-m0.Mallocs) / n
	out.BytesPerOp = float64(m1.TotalAlloc-m0.TotalAlloc) / n
	whole := callers[0].hist
	for _, c := range callers {
		if c != callers[0] {
			whole.Merge(c.hist)
		}
		out.Failures += c.failures
		if c.first != nil && out.FirstFailure == "" {
			out.FirstFailure = c.first.Error()
		}
	}
	var err error
	out.CallNs, err = results.EncodeHistogram(whole)
	return out, err
}
