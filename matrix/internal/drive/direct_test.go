package drive

import (
	"errors"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/proc"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func TestShare(t *testing.T) {
	for _, c := range []struct{ n, parts int }{{10, 1}, {10, 3}, {2, 4}, {64, 64}} {
		sum, most, least := 0, 0, c.n
		for i := range c.parts {
			s := share(c.n, c.parts, i)
			sum, most, least = sum+s, max(most, s), min(least, s)
		}
		if sum != c.n || most-least > 1 {
			t.Errorf("%d in %d parts: they add up to %d, from %d to %d", c.n, c.parts, sum, least, most)
		}
	}
}

// TestDirectAndWaterfall: real pieces, small: callers together make exactly the
// cell's calls, and a waterfall has its blocks in every repetition.
func TestDirectAndWaterfall(t *testing.T) {
	_, noCPU := proc.Self()
	const text = `name: t
repetitions: 2
defaults: { shape: direct, body: 90B, requests: 50, warmup: 5 }
sections:
  - name: direct
    workers: [1, 7]
  - name: waterfall
    surface: waterfall
`
	b := new(book)
	d := &Driver{Plan: planOf(t, text, plan.Facts{}), Site: &stack.Site{Dir: t.TempDir()}, Sink: b, Report: b}
	s, err := d.Run(t.Context())
	if err != nil || !s.Clean() && !errors.Is(noCPU, proc.ErrUnsupported) {
		t.Fatalf("%+v %v", s, err)
	}
	seen := make(map[string]int)
	for _, r := range b.sections {
		switch {
		case r.Direct != nil:
			seen["direct"]++
			h, err := r.Direct.CallNs.Decode()
			if err != nil || r.Direct.Calls != 50 || h.TotalCount() != 50 || r.Direct.WallNs <= 0 || r.Direct.Failures != 0 {
				t.Errorf("%s: %+v, %v", r.Cell.Key(), r.Direct, err)
			}
		case r.Waterfall != nil:
			seen["waterfall"]++
			for _, l := range r.Waterfall.Layers {
				if l.Absent == "" && len(l.Blocks) != plan.WaterfallBlocks {
					t.Errorf("%s: %d blocks", l.Name, len(l.Blocks))
				}
			}
		}
	}
	if seen["direct"] != 4 || noCPU == nil && seen["waterfall"] != 2 {
		t.Errorf("%v", seen)
	}
}

// What the core refuses is no cell: it is said before anything is measured.
func TestDirectWithABodyThatIsNoRequest(t *testing.T) {
	site := &stack.Site{Dir: t.TempDir()}
	cell := &contract.Cell{Section: "direct", Shape: contract.Direct, Target: "gateway", Profile: contract.Bare, Surface: "chat", Body: "90B", Conc: 1, LogStore: "off"}
	d := &Driver{Site: site}
	body, err := d.plainBody("90B")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := site.StartDirect(t.Context(), cell, body[:40]); err == nil || !strings.Contains(err.Error(), "not asked: status 400") {
		t.Errorf("a body that is no JSON: %v", err)
	}
}
