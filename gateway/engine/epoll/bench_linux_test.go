package epoll

import (
	"testing"

	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/engine/enginetest"
)

func newEngine(o engine.Options) (engine.Engine, error) { return New(o) }

// TestAllocations: a request in steady state allocates nothing. The ceiling
// leaves room for what the runtime allocates beside it.
func TestAllocations(t *testing.T) {
	const ceiling = 0.1
	if per := enginetest.Allocations(t, newEngine); per > ceiling && !raceEnabled {
		t.Errorf("%.3f allocations per request, ceiling %v", per, ceiling)
	}
}

func BenchmarkRequest(b *testing.B)  { enginetest.BenchmarkRequest(b, newEngine) }
func BenchmarkParallel(b *testing.B) { enginetest.BenchmarkParallel(b, newEngine) }
