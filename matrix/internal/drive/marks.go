package drive

import (
	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// boundWithin is how near to the rig's ceiling a throughput says more of the
// rig than of the gateway.
const boundWithin = 0.15

// markBound marks the cells of one section's block whose throughput is within
// 15 % of their floor's: the same load with no gateway. What bound the floor
// is the piece that used more CPU time there; in shape inprocess the two
// cannot be told apart, so both are named.
//
// With one request in flight nothing is saturated, and no mark is set.
func markBound(reps []*results.Repetition) {
	floors := make(map[string]*results.Repetition)
	for _, r := range reps {
		if r.Cell.Target == "floor" && r.Skipped == nil {
			floors[r.Cell.Key()] = r // the last attempt counts
		}
	}
	for _, r := range reps {
		f, ok := plan.Floor(&r.Cell)
		if !ok || r.Skipped != nil || r.Cell.Conc <= 1 || r.Cell.RatePerS > 0 {
			continue
		}
		floor := floors[f.Key()]
		if floor == nil || r.RequestsPerS < floor.RequestsPerS*(1-boundWithin) {
			continue
		}
		gen, mock := floor.Resources.Generator, floor.Resources.Mock
		switch {
		case r.Cell.Shape == contract.InProcess || gen == nil || mock == nil:
			r.Marks = append(r.Marks, results.MarkGeneratorBound, results.MarkMockBound)
		case gen.CPUNs >= mock.CPUNs:
			r.Marks = append(r.Marks, results.MarkGeneratorBound)
		default:
			r.Marks = append(r.Marks, results.MarkMockBound)
		}
	}
}
