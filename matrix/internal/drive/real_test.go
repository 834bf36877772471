package drive

import (
	"context"
	"testing"

	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
)

// TestInterruptInTheMiddleOfACell: real pieces, a load that would not end.
func TestInterruptInTheMiddleOfACell(t *testing.T) {
	const endless = `name: t
repetitions: 1
defaults: { shape: inprocess, body: 90B, requests: 2000000, conc: 2 }
sections:
  - name: one
`
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	b := new(book)
	b.onBegin = func(int) { cancel() }
	d := &Driver{Plan: planOf(t, endless, plan.Facts{}), Site: &stack.Site{Dir: t.TempDir()}, Sink: b, Report: b}
	s, err := d.Run(ctx)
	if err != nil || !s.Interrupted || len(s.Broken) != 0 || len(b.reps) != 0 {
		t.Errorf("%+v, %d repetitions, %v", s, len(b.reps), err)
	}
}
