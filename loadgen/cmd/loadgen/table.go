package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// samplesBeyond is how many samples must lie beyond a percentile for it to
// stand in a table.
const samplesBeyond = 100

// notEnough stands for a percentile with fewer.
const notEnough = "n/a"

// rows are the histograms in the table's order. A row without values is left
// out.
var rows = []struct {
	latency loadgen.Latency
	name    string
}{
	{loadgen.ResponseTime, "response (intended → last byte)"},
	{loadgen.SendLag, "send lag (intended → sent)"},
	{loadgen.ServiceTime, "service (sent → last byte)"},
	{loadgen.ServicePlain, "  not streamed"},
	{loadgen.ServiceStream, "  streamed"},
	{loadgen.FirstByte, "first byte"},
	{loadgen.TTFT, "first content (TTFT)"},
	{loadgen.ITL, "between content frames (ITL)"},
	{loadgen.TPOT, "per content frame (TPOT)"},
	{loadgen.ErrorTime, "failed or rejected"},
}

func writeJSON(w io.Writer, res *loadgen.Result) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(res)
}

// writeTable prints a result for people. all prints percentiles that stand on
// too few samples too, marked with ~.
func writeTable(w io.Writer, job *loadgen.Job, res *loadgen.Result, all bool) error {
	var b strings.Builder
	writeSummary(&b, job, res)
	if err := writeLatencies(&b, res, all); err != nil {
		return err
	}
	writeNotes(&b, res)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeSummary(b *strings.Builder, job *loadgen.Job, res *loadgen.Result) {
	mode := fmt.Sprintf("closed loop, %d connections", job.Conc)
	if job.RatePerS > 0 {
		arrivals := job.Arrivals
		if arrivals == "" {
			arrivals = loadgen.ArrivalsConstant
		}
		mode = fmt.Sprintf("open loop, %g requests/s %s, at most %d in flight", job.RatePerS, arrivals, job.Conc)
	}
	fmt.Fprintf(b, "%s%s: %s\n", job.Target, job.Path, mode)
	seconds := float64(res.Finished-res.Started) / 1e9
	answered := res.Outcomes[contract.Answered.String()]
	fmt.Fprintf(b, "%d requests in %.3f s", res.Scheduled, seconds)
	if seconds > 0 {
		fmt.Fprintf(b, ", %.1f answered/s", float64(answered)/seconds)
	}
	if res.Scheduled > 0 {
		fmt.Fprintf(b, ", generator %.1f CPU-µs/request", float64(res.CPUNs)/1e3/float64(res.Scheduled))
	}
	b.WriteByte('\n')
	fmt.Fprintf(b, "outcomes: %s\n", counts(res.Outcomes))
	if len(res.ByStatus) > 0 {
		fmt.Fprintf(b, "status: %s\n", counts(res.ByStatus))
	}
	if res.ContentFrames > 0 {
		fmt.Fprintf(b, "content frames: %d, of which %d arrived together with the one before\n", res.ContentFrames, res.CoalescedFrames)
	}
}

func writeLatencies(b *strings.Builder, res *loadgen.Result, all bool) error {
	few := false
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\np50\tp90\tp99\tmax\tsamples\t  time\n")
	for _, row := range rows {
		h, err := res.Histogram(row.latency)
		if err != nil {
			return err
		}
		if h.TotalCount() == 0 {
			continue
		}
		for _, p := range []float64{50, 90, 99} {
			cell := percentile(h, p, all)
			few = few || cell == notEnough
			fmt.Fprint(t, cell, "\t")
		}
		fmt.Fprintf(t, "%s\t%d\t  %s\n", duration(h.Max()), h.TotalCount(), row.name)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if few {
		fmt.Fprintf(b, "%s: fewer than %d samples lie beyond it (--all prints it)\n", notEnough, samplesBeyond)
	}
	return nil
}

func writeNotes(b *strings.Builder, res *loadgen.Result) {
	for _, w := range res.Warnings {
		fmt.Fprintf(b, "\nwarning: %s", w)
	}
	for _, e := range res.Errors {
		fmt.Fprintf(b, "\nerror: %s", e)
	}
	if len(res.Warnings)+len(res.Errors) > 0 {
		b.WriteByte('\n')
	}
	if res.Interrupted {
		b.WriteString("\ninterrupted: this is what was measured until then\n")
	}
}

// percentile is a table's cell.
func percentile(h *hdrhistogram.Histogram, p float64, all bool) string {
	beyond := float64(h.TotalCount()) * (100 - p) / 100
	value := duration(h.ValueAtPercentile(p))
	switch {
	case beyond >= samplesBeyond:
		return value
	case all:
		return "~" + value
	}
	return notEnough
}

// duration keeps four digits and a unit that fits.
func duration(ns int64) string {
	switch d := time.Duration(ns); {
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", ns)
	case d < time.Millisecond:
		return fmt.Sprintf("%.4g µs", float64(ns)/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.4g ms", float64(ns)/1e6)
	}
	return fmt.Sprintf("%.4g s", float64(ns)/1e9)
}

// counts lists the non-zero counts, the largest first.
func counts(m map[string]int64) string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Slice(names, func(i, j int) bool {
		if a, b := m[names[i]], m[names[j]]; a != b {
			return a > b
		}
		return names[i] < names[j]
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, m[name])
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// failures is the number of requests that failed.
func failures(res *loadgen.Result) (n int64) {
	for name, count := range res.Outcomes {
		if o, ok := contract.ParseOutcome(name); ok && o.Failed() {
			n += count
		}
	}
	return n
}
