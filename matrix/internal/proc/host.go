package proc

import (
	"strconv"
	"strings"
)

// Host is the host's own counters at one moment; all but LoadAverage only
// grow.
type Host struct {
	StealNs         int64 // CPU time taken by the hypervisor, all cores, in ticks
	PSICPUSomeNs    int64
	PSIMemorySomeNs int64
	PSIIOSomeNs     int64
	LoadAverage     float64 // of one minute
}

// Since is the growth from h0 to h; LoadAverage is h0's.
func (h Host) Since(h0 Host) Host {
	return Host{
		StealNs:         h.StealNs - h0.StealNs,
		PSICPUSomeNs:    h.PSICPUSomeNs - h0.PSICPUSomeNs,
		PSIMemorySomeNs: h.PSIMemorySomeNs - h0.PSIMemorySomeNs,
		PSIIOSomeNs:     h.PSIIOSomeNs - h0.PSIIOSomeNs,
		LoadAverage:     h0.LoadAverage,
	}
}

// parseSteal reads the eighth number of the first line of /proc/stat, in
// ticks.
func parseSteal(s string) (int64, bool) {
	line, _, _ := strings.Cut(s, "\n")
	f := strings.Fields(line)
	if len(f) < 9 || f[0] != "cpu" {
		return 0, false
	}
	n, err := strconv.ParseInt(f[8], 10, 64)
	return n, err == nil
}

// parsePSI reads the total of the "some" line of a pressure file, in µs.
func parsePSI(s string) (int64, bool) {
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "some ") {
			continue
		}
		_, total, ok := strings.Cut(line, "total=")
		if !ok {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(total), 10, 64)
		return n, err == nil
	}
	return 0, false
}
