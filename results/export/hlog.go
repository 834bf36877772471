package export

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tollgate-lab/tollgate/results"
)

// HdrLog writes every histogram of the run as one interval of an HdrHistogram
// log (format 1.3). The tag is "<cell key>:<histogram>:<block>.<rep>.<attempt>",
// with characters that a tag may not hold replaced; times are in seconds.
func HdrLog(w io.Writer, run *results.Run) error {
	lw := hdrhistogram.NewHistogramLogWriter(w)
	for _, write := range []func() error{
		lw.OutputLogFormatVersion,
		func() error { return lw.OutputComment("[" + run.Header.Name + ", values in ns]") },
		func() error { return lw.OutputStartTime(run.Header.Started.UnixMilli()) },
		lw.OutputLegend,
	} {
		if err := write(); err != nil {
			return fmt.Errorf("export HdrHistogram log: %w", err)
		}
	}
	interval := func(r *results.Repetition, name string) error {
		h, err := r.Histograms[name].Decode()
		if err != nil {
			return err
		}
		h.SetTag(tag(fmt.Sprintf("%s:%s:%d.%d.%d", r.Cell.Key(), name, r.Block, r.Rep, r.Attempt)))
		h.SetStartTimeMs(r.Started.UnixMilli())
		h.SetEndTimeMs(r.Finished.UnixMilli())
		return lw.OutputIntervalHistogram(h)
	}
	for i := range run.Repetitions {
		r := &run.Repetitions[i]
		for _, name := range slices.Sorted(maps.Keys(r.Histograms)) {
			if err := interval(r, name); err != nil {
				return fmt.Errorf("export HdrHistogram log: %s: %s: %w", r.Cell.Key(), name, err)
			}
		}
	}
	return nil
}

func tag(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ',' || r <= ' ' {
			return '_'
		}
		return r
	}, s)
}
