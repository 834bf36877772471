package export

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// unit is one column of the Go benchmark export. better is "higher", "lower"
// or, where neither is, empty.
type unit struct{ name, better string }

// Units in the order of columns. benchstat rescales the ones in ns to seconds.
var units = []unit{
	{"ns/op", "lower"}, // mean service time
	{"req/s", "higher"},
	{"p50-ns", "lower"},
	{"p99-ns", "lower"},
	{"toll-p50-ns", "lower"},
	{"toll-p99-ns", "lower"},
	{"gateway-CPU-µs/req", "lower"},
	{"generator-CPU-µs/req", "lower"},
	{"mock-CPU-µs/req", "lower"},
	{"postgres-CPU-µs/req", "lower"},
	{"process-CPU-µs/req", "lower"},
	{"CPU-ns/op", "lower"},
	{"gateway-peak-RSS-B", "lower"},
	{"process-peak-RSS-B", "lower"},
	{"cores-busy", ""},
	{"failed-req", "lower"},
	{"boot-ns", "lower"},
	{"B/op", "lower"},
	{"allocs/op", "lower"},
}

// Bench writes the run in Go benchmark format. Of several attempts at one
// repetition only the one that stands is written, and throughput that the
// generator or the mock bounded is left out. Percentiles are of one
// repetition each, whatever its number of samples: benchstat works on
// repetitions.
func Bench(w io.Writer, run *results.Run) error {
	bw := benchfmt.NewWriter(w)
	used := make(map[string]bool)
	lines, err := benchLines(run)
	if err != nil {
		return fmt.Errorf("export Go benchmark format: %w", err)
	}
	for _, l := range lines {
		for _, v := range l.Values {
			used[v.Unit] = true
		}
	}
	for _, u := range units {
		if !used[u.name] || u.better == "" {
			continue
		}
		m := &benchfmt.UnitMetadata{OrigUnit: u.name, Value: u.better}
		m.Unit, m.Key = u.name, "better"
		if err := bw.Write(m); err != nil {
			return fmt.Errorf("export Go benchmark format: %w", err)
		}
	}
	for _, l := range lines {
		if err := bw.Write(l); err != nil {
			return fmt.Errorf("export Go benchmark format: %w", err)
		}
	}
	return nil
}

func benchLines(run *results.Run) ([]*benchfmt.Result, error) {
	config := fileConfig(&run.Header)
	var out []*benchfmt.Result
	for _, section := range run.SectionNames() {
		for _, s := range results.SeriesOf(run, section) {
			for _, r := range s.Reps {
				l, err := loadLine(r)
				if err != nil {
					return nil, err
				}
				if l != nil {
					l.Config, l.Name = config, benchName(&s.Cell, run.Header.Fingerprint.GOMAXPROCS)
					out = append(out, l)
				}
			}
		}
		for _, s := range results.SectionSeriesOf(run, section) {
			for _, r := range s.Records {
				if r.Waterfall != nil {
					out = append(out, waterfallLines(r, config, run.Header.Fingerprint.GOMAXPROCS)...)
					continue
				}
				l, err := sectionLine(r)
				if err != nil {
					return nil, err
				}
				l.Config, l.Name = config, benchName(&s.Cell, run.Header.Fingerprint.GOMAXPROCS)
				out = append(out, l)
			}
		}
	}
	return out, nil
}

// loadLine is nil when the repetition answered no request: it has no times.
func loadLine(r *results.Repetition) (*benchfmt.Result, error) {
	counts := r.Counts()
	answered := counts[contract.Answered]
	if answered == 0 {
		return nil, nil
	}
	l := &benchfmt.Result{Iters: int(answered)}
	put := func(unit string, v float64) {
		l.Values = append(l.Values, benchfmt.Value{Value: v, Unit: unit})
	}
	if t, ok := r.Histograms[results.ServiceTime]; ok {
		h, err := t.Decode()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Cell.Key(), err)
		}
		put("ns/op", h.Mean())
		put("p50-ns", float64(h.ValueAtPercentile(50)))
		put("p99-ns", float64(h.ValueAtPercentile(99)))
	}
	if !r.Marked(results.MarkGeneratorBound) && !r.Marked(results.MarkMockBound) {
		put("req/s", r.RequestsPerS)
	}
	if t, ok := r.Histograms[results.Toll]; ok {
		h, err := t.Decode()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Cell.Key(), err)
		}
		put("toll-p50-ns", float64(h.ValueAtPercentile(50)))
		put("toll-p99-ns", float64(h.ValueAtPercentile(99)))
	}
	for _, p := range pieces(&r.Resources) {
		if v, ok := r.CPUMicrosPerRequest(p.usage); ok {
			put(p.name+"-CPU-µs/req", v)
		}
		if p.usage != nil && p.rss {
			put(p.name+"-peak-RSS-B", float64(p.usage.PeakRSSBytes))
		}
	}
	put("cores-busy", r.CoresBusy)
	put("failed-req", float64(counts.Failures()))
	return l, nil
}

func sectionLine(s *results.Section) (*benchfmt.Result, error) {
	l := &benchfmt.Result{Iters: 1}
	put := func(unit string, v float64) {
		l.Values = append(l.Values, benchfmt.Value{Value: v, Unit: unit})
	}
	if b := s.Boot; b != nil {
		put("boot-ns", float64(b.HealthzNs))
	}
	if d := s.Direct; d != nil {
		h, err := d.CallNs.Decode()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Cell.Key(), err)
		}
		l.Iters = int(d.Calls)
		put("ns/op", h.Mean())
		put("p50-ns", float64(h.ValueAtPercentile(50)))
		put("p99-ns", float64(h.ValueAtPercentile(99)))
		if d.WallNs > 0 {
			put("req/s", float64(d.Calls)*1e9/float64(d.WallNs))
		}
		put("B/op", d.BytesPerOp)
		put("allocs/op", d.AllocsPerOp)
	}
	return l, nil
}

// waterfallLines is a line for each block and layer: the whole configuration
// that ends with the layer, since benchstat takes differences itself.
func waterfallLines(s *results.Section, config []benchfmt.Config, gomaxprocs int) []*benchfmt.Result {
	var out []*benchfmt.Result
	w := s.Waterfall
	for _, layer := range w.Layers {
		for _, b := range layer.Blocks {
			n := float64(w.Calls)
			out = append(out, &benchfmt.Result{
				Config: config, Name: benchNameOf(&s.Cell, "/upto="+layer.Name, gomaxprocs), Iters: int(w.Calls),
				Values: []benchfmt.Value{
					{Value: float64(b.CPUNs) / n, Unit: "CPU-ns/op"},
					{Value: float64(b.Bytes) / n, Unit: "B/op"},
					{Value: float64(b.Allocs) / n, Unit: "allocs/op"},
				},
			})
		}
	}
	return out
}

type piece struct {
	name  string
	usage *results.Usage
	rss   bool // whose memory is a result, not a property of the rig
}

func pieces(r *results.Resources) []piece {
	return []piece{
		{"gateway", r.Gateway, true},
		{"generator", r.Generator, false},
		{"mock", r.Mock, false},
		{"postgres", r.Postgres, false},
		{"process", r.Process, true},
	}
}

// benchName is the cell's key as a benchmark's name: the section in camel
// case, then key=value parts, then GOMAXPROCS.
func benchName(c *contract.Cell, gomaxprocs int) benchfmt.Name {
	return benchNameOf(c, "", gomaxprocs)
}

// benchNameOf is benchName with more parts after the cell's own.
func benchNameOf(c *contract.Cell, more string, gomaxprocs int) benchfmt.Name {
	_, rest, _ := strings.Cut(c.Key()+more, "/")
	name := camel(c.Section) + "/" + strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, rest)
	if gomaxprocs > 1 {
		// As package testing does: no suffix stands for 1.
		name = fmt.Sprintf("%s-%d", name, gomaxprocs)
	}
	return benchfmt.Name(name)
}

func camel(section string) string {
	var b strings.Builder
	up := true
	for _, r := range section {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) || r == utf8.RuneError {
			up = true
			continue
		}
		if up {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		up = false
	}
	return b.String()
}

func fileConfig(h *results.Header) []benchfmt.Config {
	f := &h.Fingerprint
	system, _, _ := strings.Cut(f.OS, " ")
	goos, goarch, _ := strings.Cut(system, "/")
	var out []benchfmt.Config
	put := func(key, value string) {
		value = strings.Join(strings.Fields(value), " ")
		if value != "" {
			out = append(out, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	put("goos", goos)
	put("goarch", goarch)
	put("pkg", "github.com/tollgate-lab/tollgate")
	put("cpu", f.CPUModel)
	return out
}
