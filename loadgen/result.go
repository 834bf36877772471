package loadgen

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// result merges the shards. Nobody records any more.
func (r *run) result(interrupted bool) (*Result, error) {
	res := &Result{
		ByStatus:    map[string]int64{},
		Histograms:  map[Latency]string{},
		Connects:    r.connects.Load(),
		Interrupted: interrupted,
	}
	var outcomes, warmup contract.Counts
	var merged [len(slots)]*hdrhistogram.Histogram
	var errs []error
	for _, s := range r.shards {
		outcomes.Add(s.outcomes)
		warmup.Add(s.warmup)
		for code, n := range s.status {
			if n > 0 {
				res.ByStatus[strconv.Itoa(code)] += n
			}
		}
		res.BytesIn += s.in
		res.BytesOut += s.out
		res.ContentFrames += s.frames
		res.CoalescedFrames += s.coalesced
		if s.started > 0 && (res.Started == 0 || s.started < res.Started) {
			res.Started = s.started
		}
		res.Finished = max(res.Finished, s.ended)
		if s.err != nil {
			errs = append(errs, s.err)
		}
		errs = append(errs, mergeInto(&merged, s)...)
		if r.keep != nil {
			res.Records = append(res.Records, s.records...)
		}
	}
	for i, h := range merged {
		if h == nil {
			continue
		}
		enc, err := EncodeHistogram(h)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", slots[i], err))
			continue
		}
		res.Histograms[slots[i]] = enc
	}
	res.Scheduled = outcomes.Total()
	res.Outcomes, res.WarmupOutcomes = outcomes.Map(), warmup.Map()
	if r.begun.Load() > 0 {
		res.CPUNs = r.cpu1 - r.cpu0
	}
	res.Records = r.gather(res.Records)
	res.Errors = r.errs.lines
	res.Warnings = r.errs.warnings(outcomes[contract.Rejected])
	if n := warmup.Failures(); n > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%d of %d warm-up requests failed", n, warmup.Total()))
	}
	if err := errors.Join(errs...); err != nil {
		res.Errors = append(res.Errors, err.Error())
		return res, fmt.Errorf("load %s: %w", r.req.url, err)
	}
	return res, nil
}

func mergeInto(merged *[len(slots)]*hdrhistogram.Histogram, s *shard) (errs []error) {
	for i, h := range s.hist {
		switch {
		case h == nil:
		case merged[i] == nil:
			merged[i] = h
		default:
			if dropped := merged[i].Merge(h); dropped > 0 {
				errs = append(errs, fmt.Errorf("merge %s: %d values lost", slots[i], dropped))
			}
		}
	}
	return errs
}

// gather puts the kept records in the order of their ids, and leaves out the
// places of requests that were never drawn.
func (r *run) gather(more []contract.ClientRecord) []contract.ClientRecord {
	if r.keep == nil {
		return nil
	}
	all := slices.DeleteFunc(r.keep, func(c contract.ClientRecord) bool { return c.ID == 0 })
	all = append(all, more...)
	slices.SortFunc(all, func(a, b contract.ClientRecord) int {
		switch {
		case a.ID < b.ID:
			return -1
		case a.ID > b.ID:
			return 1
		}
		return 0
	})
	return all
}
