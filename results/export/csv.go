package export

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

var csvHistograms = []string{results.ServiceTime, results.TTFT, results.Toll}

var csvPercentiles = []float64{50, 95, 99}

// CSV writes one row per repetition, all attempts and skipped cells included:
// the marks column tells them apart. Units are in the names of the columns.
func CSV(w io.Writer, run *results.Run) error {
	cw := csv.NewWriter(w)
	head := []string{
		"run", "cell", "block", "rep", "attempt", "order", "section", "shape", "target", "engine", "profile", "body",
		"stream_every", "conc", "workers", "log_store", "durability", "requests_per_s", "measured_ns", "scheduled",
	}
	for o := range contract.NumOutcomes {
		head = append(head, contract.Outcome(o).String())
	}
	for _, name := range csvHistograms {
		for _, p := range csvPercentiles {
			head = append(head, fmt.Sprintf("%s_p%g_ns", name, p))
		}
		head = append(head, name+"_max_ns")
	}
	for _, p := range pieces(&results.Resources{}) {
		head = append(head, p.name+"_cpu_ns", p.name+"_peak_rss_bytes", p.name+"_processes")
	}
	head = append(head, "cores_busy", "steal_ns", "canary_ns", "audit_ok", "marks", "skipped")
	if err := cw.Write(head); err != nil {
		return fmt.Errorf("export CSV: %w", err)
	}
	for i := range run.Repetitions {
		row, err := csvRow(run.Header.Name, &run.Repetitions[i])
		if err != nil {
			return fmt.Errorf("export CSV: %w", err)
		}
		if err := cw.Write(row); err != nil {
			return fmt.Errorf("export CSV: %w", err)
		}
	}
	cw.Flush()
	if err := cw.Error(); err != nil {
		return fmt.Errorf("export CSV: %w", err)
	}
	return nil
}

func csvRow(name string, r *results.Repetition) ([]string, error) {
	c := &r.Cell
	row := []string{
		name, c.Key(), strconv.Itoa(r.Block), strconv.Itoa(r.Rep), strconv.Itoa(r.Attempt), strconv.Itoa(r.Order),
		c.Section, string(c.Shape), c.Target, c.Engine, string(c.Profile), c.Body,
		strconv.Itoa(c.StreamEvery), strconv.Itoa(c.Conc), strconv.Itoa(c.Workers), c.LogStore, c.Durability,
		strconv.FormatFloat(r.RequestsPerS, 'f', 3, 64), count(r.MeasuredNs), count(r.Scheduled),
	}
	for _, n := range r.Counts() {
		row = append(row, count(n))
	}
	for _, hist := range csvHistograms {
		t, ok := r.Histograms[hist]
		if !ok {
			row = append(row, make([]string, len(csvPercentiles)+1)...)
			continue
		}
		h, err := t.Decode()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Key(), err)
		}
		for _, p := range csvPercentiles {
			row = append(row, count(h.ValueAtPercentile(p)))
		}
		row = append(row, count(h.Max()))
	}
	for _, p := range pieces(&r.Resources) {
		if p.usage == nil {
			row = append(row, "", "", "")
			continue
		}
		row = append(row, count(p.usage.CPUNs), count(p.usage.PeakRSSBytes), strconv.Itoa(p.usage.Processes))
	}
	skipped := ""
	if r.Skipped != nil {
		skipped = r.Skipped.Reason
	}
	return append(row,
		strconv.FormatFloat(r.CoresBusy, 'f', 3, 64), count(r.Noise.StealNs), count(r.Noise.CanaryNs),
		strconv.FormatBool(r.Audit.OK()), strings.Join(r.Marks, " "), skipped), nil
}

func count(n int64) string { return strconv.FormatInt(n, 10) }
