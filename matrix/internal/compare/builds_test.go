package compare

import (
	"bytes"
	"testing"
)

// Decide speaks only where the interval of the ratios within a block excludes
// no difference.
func TestDecide(t *testing.T) {
	for _, c := range []struct {
		story  string
		ratios []float64
		want   string
	}{
		{"cheaper in every block", []float64{0.9, 0.91, 0.92, 0.93, 0.94, 0.95}, "50 connections: ratio 0.925 (0.900 to 0.950, 6 blocks): cheaper\n"},
		{"dearer in every block", []float64{1.1, 1.11, 1.12, 1.13, 1.14, 1.15}, "50 connections: ratio 1.125 (1.100 to 1.150, 6 blocks): dearer\n"},
		{"now one, now the other", []float64{0.85, 1.11, 0.95, 1.05, 0.97, 1.02}, "50 connections: ratio 0.995 (0.850 to 1.110, 6 blocks): no difference shown\n"},
		{"too few blocks", []float64{0.9, 0.9, 0.9, 0.9, 0.9}, "50 connections: ratio 0.900 (0.900 to 0.900, 5 blocks): too few blocks for an interval of 95 %\n"},
	} {
		r := &Report{Rows: []Row{{Conc: 50}}}
		for b, ratio := range c.ratios {
			speed := 10 * float64(1+b) // the host's, which falls out
			r.Samples = append(r.Samples,
				Sample{Block: b, Conc: 50, Side: SideBuild, CPUUs: ratio * speed},
				Sample{Block: b, Conc: 50, Side: SideAgainst, CPUUs: speed},
				Sample{Block: b, Conc: 256, Side: SideBuild, CPUUs: 1})
		}
		var out bytes.Buffer
		if err := r.Decide(&out); err != nil || out.String() != c.want {
			t.Errorf("%s: %q, %v, want %q", c.story, out.String(), err, c.want)
		}
	}
}
