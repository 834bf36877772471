package drive

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/audit"
	"github.com/tollgate-lab/tollgate/matrix/internal/join"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// repetition runs one load cell once, in fresh pieces. It fills everything
// but the run's bookkeeping (block, order, attempt, marks) and the canary.
func (d *Driver) repetition(ctx context.Context, c *contract.Cell) (*results.Repetition, error) {
	rep := &results.Repetition{Cell: *c, Started: time.Now().UTC()}
	j, err := job(c, d.DataDir)
	if err != nil {
		return nil, err
	}
	if c.Shape == contract.InProcess {
		// The garbage and the peak of the repetition before are not this one's.
		runtime.GC()
		proc.ResetPeak()
	}
	s, err := d.Site.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := s.Close(); err != nil {
			rep.Warnings = append(rep.Warnings, err.Error())
		}
		rep.Finished = time.Now().UTC()
	}()
	host0, missing := proc.ReadHost()
	if len(missing) > 0 {
		d.warnOnce("not read on this host: %v", missing)
	}
	m := startMeter(s)
	killer := startKiller(ctx, s)
	run, err := s.Load(ctx, j)
	killed, killErr := killer.wait()
	if err != nil {
		m.stop()
		return nil, err
	}
	used := m.stop()
	host1, _ := proc.ReadHost()
	if killErr != nil {
		return nil, killErr
	}
	fill(rep, run)
	rep.Noise = noise(host1.Since(host0))
	rep.Resources = used.resources(run, c)
	rep.Warnings = append(rep.Warnings, used.warnings...)
	rep.CoresBusy = coresBusy(&rep.Resources, rep.MeasuredNs)
	if killed != nil {
		// The replacement may come up after the load's end.
		killed.ProcessesAfter, killed.ReplacementSeen = killer.settled(ctx)
	}
	return rep, d.collect(ctx, s, run, killed, rep)
}

// fill copies the generator's result.
func fill(rep *results.Repetition, run *stack.Run) {
	rep.MeasuredNs = max(run.Finished-run.Started, 0)
	rep.Scheduled = run.Scheduled
	rep.Outcomes, rep.WarmupOutcomes, rep.ByStatus = run.Outcomes, run.WarmupOutcomes, run.ByStatus
	rep.BytesIn, rep.BytesOut = run.BytesIn, run.BytesOut
	rep.ContentFrames, rep.CoalescedFrames, rep.Connects = run.ContentFrames, run.CoalescedFrames, run.Connects
	rep.Errors, rep.Warnings = run.Errors, run.Warnings
	if rep.MeasuredNs > 0 {
		rep.RequestsPerS = float64(run.Outcomes[contract.Answered.String()]) * 1e9 / float64(rep.MeasuredNs)
	}
	rep.Histograms = make(map[string]results.Histogram, len(run.Histograms)+5)
	for name, h := range run.Histograms {
		rep.Histograms[string(name)] = results.Histogram(h)
	}
}

func noise(h proc.Host) results.HostNoise {
	return results.HostNoise{
		StealNs: h.StealNs, PSICPUSomeNs: h.PSICPUSomeNs, PSIMemorySomeNs: h.PSIMemorySomeNs,
		PSIIOSomeNs: h.PSIIOSomeNs, LoadAverage: h.LoadAverage,
	}
}

// fewInFlight is a concurrency at which 40 ms are no queue.
const fewInFlight = 10

// collect drains the gateway, reads what every piece counted, joins and
// audits.
func (d *Driver) collect(ctx context.Context, s *stack.Stack, run *stack.Run, killed *audit.Kill, rep *results.Repetition) error {
	sums, err := s.Drain(ctx)
	if err != nil {
		return err
	}
	truth, err := s.Truth(ctx)
	if err != nil {
		return err
	}
	stamps, err := s.Stamps(ctx)
	if err != nil {
		return err
	}
	log, err := s.Log(ctx)
	if err != nil {
		return fmt.Errorf("read the log: %w", err)
	}
	tolls := join.Join(run.Records, stamps)
	hist, err := tolls.Histograms()
	if err != nil {
		return err
	}
	maps.Copy(rep.Histograms, hist)
	rep.Warnings = append(rep.Warnings, tolls.Warnings()...)
	if rep.Cell.Conc <= fewInFlight && tolls.NearDelayedACK() {
		rep.Warnings = append(rep.Warnings, "the toll is near 40 ms: Nagle's algorithm meeting delayed ACK, on a hop without TCP_NODELAY")
	}
	rep.Truth = &truth
	f := &audit.Facts{
		Cell: rep.Cell, Scheduled: run.Scheduled, Measured: counts(run.Outcomes), Warmup: counts(run.WarmupOutcomes),
		Records: run.Records, Stamps: stamps, Join: contract.JoinHeader, Truth: truth, Gauges: sums, Log: log, Kill: killed,
	}
	if sums != nil {
		rep.Ledger = &sums
	}
	if stack.HasLedger(&rep.Cell) {
		f.Ledger, f.BudgetNano = sums, stack.BudgetNano
	}
	if log != nil {
		rep.Log = &results.LogRows{Rows: log.Rows, Dropped: sums["rows_dropped"], LostToKill: f.LostToKill()}
	} else if rep.Cell.LogStore == "memory" {
		rep.Warnings = append(rep.Warnings, "the memory log dies with the gateway: its rows were not audited")
	}
	rep.Audit = audit.Run(f)
	return nil
}

func counts(byName map[string]int64) (c contract.Counts) {
	for name, n := range byName {
		if o, ok := contract.ParseOutcome(name); ok {
			c[o] = n
		}
	}
	return c
}
