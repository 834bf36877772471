package loadgen

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// longAgo is a deadline that has passed: it ends what waits on a connection.
var longAgo = time.Unix(1, 0)

// run is the state that the connections of one run share.
type run struct {
	ctx    context.Context // ends the run early
	job    Job
	req    *rendered
	shards []*shard
	errs   failures
	keep   []contract.ClientRecord // by measured seq; nil: keep none; empty: in the shards

	seq   atomic.Int64 // requests drawn, warm-up included
	limit int64        // draw no more than these
	begun atomic.Int64 // stamp when the first measured request was drawn
	cpu0  int64        // process CPU time then
	cpu1  int64        // and at the end

	// Open loop.
	sched []int64 // intended times after base
	base  int64
	turn  turn
	wait  waiter

	connects atomic.Int64
	stopped  atomic.Bool // the context ended: send no more, leave what is in flight
}

// Run does the job. progress, when not nil, is told how far it is, at most
// five times a second and once at the end. When ctx ends first, the result
// holds what was measured until then and says Interrupted. An error beside a
// result says that the result is not to be trusted.
func Run(ctx context.Context, job Job, progress func(Progress)) (*Result, error) {
	if err := job.Validate(); err != nil {
		return nil, err
	}
	r, err := newRun(ctx, job.withDefaults())
	if err != nil {
		return nil, err
	}
	if r.wait != nil {
		defer r.wait.close()
	}
	var side sync.WaitGroup
	done := make(chan struct{})
	if progress != nil {
		side.Go(func() { r.report(progress, done) })
	}
	if r.job.Client == ClientVegeta {
		err = r.vegeta()
	} else {
		err = r.lean()
	}
	r.cpu1 = processCPU()
	close(done)
	side.Wait()
	if err != nil {
		return nil, err
	}
	r.countUnreached()
	if progress != nil {
		progress(r.progress())
	}
	return r.result(ctx.Err() != nil && r.stopped.Load())
}

func newRun(ctx context.Context, job Job) (*run, error) {
	req, err := job.render()
	if err != nil {
		return nil, err
	}
	r := &run{ctx: ctx, job: job, req: req, limit: math.MaxInt64}
	if job.Requests > 0 {
		r.limit = int64(job.Warmup) + int64(job.Requests)
	}
	for range shardsFor(job.Conc) {
		r.shards = append(r.shards, new(shard))
	}
	if job.KeepRecords {
		r.keep = make([]contract.ClientRecord, job.Requests)
	}
	if job.RatePerS <= 0 {
		return r, nil
	}
	a := Arrival{Kind: job.Arrivals, RatePerS: job.RatePerS, Seed: job.Seed}
	if job.Duration > 0 {
		r.sched, err = a.ScheduleUntil(job.Warmup, job.Requests, job.Duration)
	} else {
		r.sched, err = a.Schedule(int(r.limit))
	}
	if err != nil {
		return nil, err
	}
	r.limit = int64(len(r.sched))
	r.wait = newWaiter()
	return r, nil
}

// leaving reports whether the run was told to end. stopped follows the
// context's end from another goroutine, so where a broken request must be told
// from one that was left, both are asked.
func (r *run) leaving() bool { return r.stopped.Load() || r.ctx.Err() != nil }

func (r *run) openLoop() bool { return r.sched != nil }

// draw takes the next request of a closed loop. now is any recent stamp. seq
// counts from 0 in the measured part and is negative in the warm-up.
func (r *run) draw(now int64) (seq int64, ok bool) {
	if r.stopped.Load() || r.overtime(now) {
		return 0, false
	}
	n := r.seq.Add(1) - 1
	if n >= r.limit {
		return 0, false
	}
	if n == int64(r.job.Warmup) {
		r.beginMeasured()
	}
	return n - int64(r.job.Warmup), true
}

// overtime reports whether the measured time limit of a closed loop is over.
func (r *run) overtime(now int64) bool {
	if r.job.Duration == 0 {
		return false
	}
	begun := r.begun.Load()
	return begun > 0 && now-begun >= int64(r.job.Duration)
}

// drawDue waits for the next request of the schedule. It is called by the one
// whose turn it is.
func (r *run) drawDue() (seq, intended int64, ok bool) {
	n := r.seq.Load()
	if n >= r.limit || r.stopped.Load() {
		return 0, 0, false
	}
	intended = r.base + r.sched[n]
	if !r.wait.until(intended) {
		return 0, 0, false
	}
	r.seq.Store(n + 1)
	if n == int64(r.job.Warmup) {
		r.beginMeasured()
	}
	return n - int64(r.job.Warmup), intended, true
}

// tooLate reports whether whoever wanted a request has given up on it before
// it could be sent.
func (r *run) tooLate(intended int64) bool {
	return contract.Now()-intended > int64(r.job.Timeout)
}

func (r *run) beginMeasured() {
	r.cpu0 = processCPU()
	r.begun.Store(contract.Now())
}

// countUnreached counts what the schedule wanted sent before the run was
// stopped, and nobody was free to send.
func (r *run) countUnreached() {
	now := contract.Now()
	for n := r.seq.Load(); r.openLoop() && n < r.limit && r.base+r.sched[n] <= now; n++ {
		r.unsent(n-int64(r.job.Warmup), r.base+r.sched[n], "the run ended first")
	}
}

// unsent records a request that was never sent.
func (r *run) unsent(seq, intended int64, why string) {
	x := sample{seq: seq, end: contract.Now(), words: why}
	x.rec = contract.ClientRecord{ID: r.id(seq), Intended: intended, Outcome: contract.Unsent, Streamed: r.streamed(seq)}
	r.record(r.shards[0], &x)
}

// record hands an ended request to its shard, and its words to the failures.
func (r *run) record(s *shard, x *sample) {
	s.add(x, r.openLoop(), r.keep)
	if x.seq >= 0 && x.rec.Outcome != contract.Answered {
		r.errs.add(x)
	}
}

// id is the request's id. Warm-up requests come first in the run's count, so
// no id is used twice.
func (r *run) id(seq int64) uint64 {
	return contract.MakeID(r.job.Nonce, uint64(seq+int64(r.job.Warmup)))
}

// streamed reports whether the request is a stream. The warm-up counts for
// itself, so that the measured part has its streams at fixed places.
func (r *run) streamed(seq int64) bool {
	if seq < 0 {
		seq += int64(r.job.Warmup)
	}
	return contract.StreamedAt(r.job.StreamEvery, uint64(seq))
}

func (r *run) progress() Progress {
	p := Progress{Duration: r.job.Duration}
	if r.limit < math.MaxInt64 {
		p.Total = r.limit - int64(r.job.Warmup)
	}
	for _, s := range r.shards {
		s.mu.Lock()
		p.Done += s.outcomes.Total()
		p.Failed += s.outcomes.Failures()
		s.mu.Unlock()
	}
	if begun := r.begun.Load(); begun > 0 {
		p.Elapsed = time.Duration(contract.Now() - begun)
	} else {
		p.Warmup = r.job.Warmup > 0
	}
	return p
}

// fatal is an error of the rig, found while the run goes on.
func (r *run) fatal(op string, err error) error {
	return fmt.Errorf("load %s: %s: %w", r.req.url, op, err)
}
