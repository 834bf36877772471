package waterfall

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/results"
)

// subject is one configuration under measurement.
type subject interface {
	Call() error
	// Settle waits until what the calls left to others is done.
	Settle(ctx context.Context) error
}

// gauge reads what the process has used.
type gauge struct {
	cpu   func() (time.Duration, error)
	alloc func() (objects, bytes uint64)
	clean func() // collects garbage
}

func processGauge() gauge {
	return gauge{
		cpu: proc.Self,
		alloc: func() (objects, bytes uint64) {
			var m runtime.MemStats
			runtime.ReadMemStats(&m) // exact: it stops the world and flushes every cache
			return m.Mallocs, m.TotalAlloc
		},
		clean: runtime.GC,
	}
}

// order is the visits of one block: forth and back, in every other block back
// and forth, so that no configuration is always the one in the middle.
func order(n, block int) []int {
	out := make([]int, 0, 2*n)
	for i := range n {
		out = append(out, i)
	}
	if block%2 == 1 {
		slices.Reverse(out)
	}
	back := slices.Clone(out)
	slices.Reverse(back)
	return append(out, back...)
}

// runIn is the share of a visit's calls that come first and are not measured:
// the visits before filled the caches with what is theirs.
const runIn = 8

// checkEvery is the calls between two looks at the context.
const checkEvery = 256

// measure visits every subject twice, with calls/2 calls each time, and adds
// up what each used. calls is even.
func measure(ctx context.Context, subjects []subject, calls, block int, g gauge) ([]results.LayerBlock, error) {
	out := make([]results.LayerBlock, len(subjects))
	for _, i := range order(len(subjects), block) {
		used, err := visit(ctx, subjects[i], calls/2, g)
		if err != nil {
			return nil, fmt.Errorf("configuration %d: %w", i+1, err)
		}
		out[i].CPUNs += used.CPUNs
		out[i].Allocs += used.Allocs
		out[i].Bytes += used.Bytes
	}
	return out, nil
}

func visit(ctx context.Context, s subject, calls int, g gauge) (used results.LayerBlock, err error) {
	g.clean()
	if err := repeat(ctx, s, calls/runIn+1); err != nil {
		return used, err
	}
	// Reading the memory costs CPU time itself: it is done outside.
	objects0, bytes0 := g.alloc()
	cpu0, err := g.cpu()
	if err != nil {
		return used, err
	}
	if err := repeat(ctx, s, calls); err != nil {
		return used, err
	}
	cpu1, err := g.cpu()
	if err != nil {
		return used, err
	}
	objects1, bytes1 := g.alloc()
	return results.LayerBlock{
		CPUNs: int64(cpu1 - cpu0), Allocs: int64(objects1 - objects0), Bytes: int64(bytes1 - bytes0),
	}, nil
}

// repeat makes calls and waits for what they left to others.
func repeat(ctx context.Context, s subject, calls int) error {
	if err := call(ctx, s, calls); err != nil {
		return err
	}
	return s.Settle(ctx)
}

func call(ctx context.Context, s subject, calls int) error {
	for i := range calls {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.Call(); err != nil {
			return err
		}
	}
	return nil
}
