package proc

import (
	"os"
	"strconv"
	"strings"
)

// ReadHost reads the host's counters. What the kernel does not offer stays
// zero; missing names it.
func ReadHost() (h Host, missing []string) {
	note := func(path string, ok bool) {
		if !ok {
			missing = append(missing, path)
		}
	}
	text := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		return string(b)
	}
	ticks, ok := parseSteal(text("/proc/stat"))
	note("/proc/stat steal", ok)
	h.StealNs = ticks * tickNs
	for _, p := range []struct {
		path string
		dst  *int64
	}{
		{"/proc/pressure/cpu", &h.PSICPUSomeNs},
		{"/proc/pressure/memory", &h.PSIMemorySomeNs},
		{"/proc/pressure/io", &h.PSIIOSomeNs},
	} {
		us, ok := parsePSI(text(p.path))
		note(p.path, ok)
		*p.dst = us * 1000
	}
	first, _, _ := strings.Cut(text("/proc/loadavg"), " ")
	load, err := strconv.ParseFloat(first, 64)
	note("/proc/loadavg", err == nil)
	h.LoadAverage = load
	return h, missing
}
