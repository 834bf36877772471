package report

import (
	"slices"
	"testing"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// A repetition that the mock bounded leaves every column of its row, not only
// the change, and the row says so.
func TestBoundRepetitionsLeaveTheWholeRow(t *testing.T) {
	run := newRun("r", epoch)
	c := contract.Cell{Section: "streaming", Shape: contract.External, Target: results.TargetGateway, Conc: 50}
	load(t, run, c, speed{20_000, 30_000, 300, 0}, 4, nil)
	c.StreamEvery, c.Frames = 1, 4
	load(t, run, c, speed{10_000, 60_000, 300, 0}, 4, func(r *results.Repetition) {
		if r.Block == 3 {
			r.Marks = []string{results.MarkMockBound}
			r.RequestsPerS *= 10
			r.Resources.Gateway.CPUNs *= 10
			r.Histograms[results.ServiceTime] = histogram(t, 3_000, 5e8, 6e8)
		}
	})
	v, _ := newData(Single(run)).view("streaming")
	tb, err := streamPairing.table(streamPairing.pairs(v), []axis{axisConc})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"50", "20,300 ±1%", "10,100 ±1%", "−50%", "30.3 ±1%", "60.2 ±0.3%", "+99%", "2.46 ±2%", "4.94 ±1%", "1 of 4 streamed"}
	if len(tb.rows) != 1 || !slices.Equal(tb.rows[0], want) {
		t.Errorf("rows %q, want one: %q", tb.rows, want)
	}
}
