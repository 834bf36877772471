package drive

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func TestMarkBound(t *testing.T) {
	cell := contract.Cell{Section: "s", Shape: contract.External, Target: "gateway", Engine: "conn", Body: "90B", Conc: 50, Workers: 1}
	floorCell, ok := plan.Floor(&cell)
	if !ok {
		t.Fatal("no floor")
	}
	for _, c := range []struct {
		story          string
		gateway, floor float64
		gen, mock      int64
		change         func(gw, floor *results.Repetition)
		want           []string
	}{
		{"far below the floor", 50, 100, 2, 1, nil, nil},
		{"near it, the generator worked more", 90, 100, 2, 1, nil, []string{results.MarkGeneratorBound}},
		{"near it, the mock worked more", 90, 100, 1, 2, nil, []string{results.MarkMockBound}},
		{"exactly 15 % below", 85, 100, 1, 2, nil, []string{results.MarkMockBound}},
		{"one request in flight saturates nothing", 90, 100, 1, 2, func(gw, f *results.Repetition) { gw.Cell.Conc, f.Cell.Conc = 1, 1 }, nil},
		{"in one process both are named", 90, 100, 1, 2, func(gw, f *results.Repetition) {
			gw.Cell.Shape, f.Cell.Shape = contract.InProcess, contract.InProcess
		}, []string{results.MarkGeneratorBound, results.MarkMockBound}},
		{"another load's floor does not count", 90, 100, 1, 2, func(_, f *results.Repetition) { f.Cell.Body = "52KB" }, nil},
		{"a skipped floor does not count", 90, 100, 1, 2, func(_, f *results.Repetition) { f.Skipped = &results.Skipped{Reason: "x"} }, nil},
	} {
		t.Run(c.story, func(t *testing.T) {
			gw := &results.Repetition{Cell: cell, RequestsPerS: c.gateway}
			floor := &results.Repetition{Cell: floorCell, RequestsPerS: c.floor, Resources: results.Resources{
				Generator: &results.Usage{CPUNs: c.gen}, Mock: &results.Usage{CPUNs: c.mock},
			}}
			if c.change != nil {
				c.change(gw, floor)
			}
			markBound([]*results.Repetition{gw, floor})
			if d := cmp.Diff(c.want, gw.Marks); d != "" {
				t.Error(d)
			}
			if len(floor.Marks) > 0 {
				t.Errorf("the floor is marked %v", floor.Marks)
			}
		})
	}
}
