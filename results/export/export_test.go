package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	vegeta "github.com/tsenart/vegeta/v12/lib"
	"golang.org/x/perf/benchfmt"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

var epoch = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

func encoded(t *testing.T, values ...int64) results.Histogram {
	t.Helper()
	h := results.NewHistogram()
	for _, v := range values {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
	}
	text, err := results.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// smallRun holds two cells of reps repetitions, a boot and a direct series;
// slower makes everything slower by that factor.
func smallRun(t *testing.T, slower float64, reps int) *results.Run {
	t.Helper()
	run := &results.Run{
		Header: results.Header{
			Version: results.Version, Name: "20260314T092653Z-example-0123456789ab", Started: epoch,
			Fingerprint: results.Fingerprint{CPUModel: "Example CPU", CPUs: 2, OS: "linux/amd64 Example 12", GOMAXPROCS: 2},
		},
		Final: &results.Final{Status: results.Complete},
	}
	for i := range reps {
		at := func(v float64) int64 { return int64(v * slower * (1 + float64(i)/1000)) }
		for _, target := range []string{results.TargetGateway, results.TargetFloor} {
			c := contract.Cell{Section: "concurrency-external", Shape: contract.External, Target: target, Surface: "chat", Body: "a file.json", Conc: 50}
			r := results.Repetition{
				Cell: c, Block: i, Rep: i, Started: epoch, Finished: epoch.Add(time.Second), MeasuredNs: 1e9,
				Outcomes: map[string]int64{"answered": 4, "timeout": 1}, RequestsPerS: 4 / slower,
				Histograms: map[string]results.Histogram{
					results.ServiceTime: encoded(t, at(1e6), at(2e6), at(3e6), at(10e6)),
					results.Toll:        encoded(t, at(50e3), at(60e3)),
				},
				Resources: results.Resources{
					Gateway:   &results.Usage{CPUNs: at(150e3), PeakRSSBytes: 24 << 20, Processes: 1},
					Generator: &results.Usage{CPUNs: at(70e3)},
					Mock:      &results.Usage{CPUNs: at(60e3)},
				},
				CoresBusy: 1.5,
			}
			if target == results.TargetFloor {
				r.Resources.Gateway = nil
				r.Marks = []string{results.MarkGeneratorBound}
			}
			run.Repetitions = append(run.Repetitions, r)
		}
		run.Sections = append(run.Sections,
			results.Section{Cell: contract.Cell{Section: "boot", Shape: contract.External, Target: results.TargetGateway, Surface: "boot", Workers: 2}, Rep: i, Boot: &results.Boot{HealthzNs: at(12e6), Processes: 3}},
			results.Section{
				Cell: contract.Cell{Section: "staged", Shape: contract.Direct, Target: results.TargetGateway, Surface: "chat", Body: "90B"}, Rep: i,
				Direct: &results.Direct{Calls: 3, CallNs: encoded(t, at(5000), at(6000), at(7000)), AllocsPerOp: 0, BytesPerOp: 16},
			})
	}
	run.Repetitions = append(run.Repetitions, results.Repetition{
		Cell:    contract.Cell{Section: "workers", Shape: contract.External, Target: results.TargetGateway, Workers: 8},
		Skipped: &results.Skipped{Reason: "no PostgreSQL"},
	})
	return run
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", path, diff)
	}
}

func TestBenchReadsBack(t *testing.T) {
	var b bytes.Buffer
	if err := Bench(&b, smallRun(t, 1, 2)); err != nil {
		t.Fatal(err)
	}
	golden(t, "bench.txt", b.Bytes())
	r := benchfmt.NewReader(&b, "bench.txt")
	lines := make(map[string]int)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Error(rec)
		case *benchfmt.Result:
			name := rec.Name.String()
			lines[name]++
			if got := rec.GetConfig("cpu"); got != "Example CPU" {
				t.Errorf("%s: cpu %q", name, got)
			}
			has := func(unit string) bool { _, ok := rec.Value(unit); return ok }
			if strings.Contains(name, "target=floor") && has("req/s") {
				t.Errorf("%s: throughput that the generator bounded takes part in comparisons", name)
			}
			if strings.Contains(name, "target=gateway") && strings.Contains(name, "conc=50") {
				for unit, want := range map[string]float64{"req/s": 4, "gateway-CPU-µs/req": 30, "p50-sec": 2e-3, "p99-sec": 10e-3, "sec/op": 4e-3, "failed-req": 1} {
					got, ok := rec.Value(unit)
					// The second repetition is 0.1 % slower, and histograms have three digits.
					if !ok || got < want*0.999 || got > want*1.003 {
						t.Errorf("%s: %s is %v (%v), want %v", name, unit, got, ok, want)
					}
				}
			}
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[string]int{"req/s": 1, "ns/op": -1, "p50-ns": -1, "p99-ns": -1, "gateway-CPU-µs/req": -1, "boot-ns": -1} {
		if got := r.Units().GetBetter(unit); got != want {
			t.Errorf("better= of %s is %d, want %d", unit, got, want)
		}
	}
	if len(lines) != 4 {
		t.Errorf("%d names, want 4: %v", len(lines), lines)
	}
	for name, n := range lines {
		if n != 2 {
			t.Errorf("%s has %d lines, want one per repetition", name, n)
		}
	}
}

func TestCSVGolden(t *testing.T) {
	var b bytes.Buffer
	if err := CSV(&b, smallRun(t, 1, 1)); err != nil {
		t.Fatal(err)
	}
	golden(t, "run.csv", b.Bytes())
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4 {
		t.Errorf("%d rows, want head, two repetitions and a skipped cell", len(rows))
	}
}

func TestHdrLogReadsBack(t *testing.T) {
	run := smallRun(t, 1, 1)
	var b bytes.Buffer
	if err := HdrLog(&b, run); err != nil {
		t.Fatal(err)
	}
	r := hdrhistogram.NewHistogramLogReader(&b)
	got := make(map[string]*hdrhistogram.Histogram)
	for {
		h, err := r.NextIntervalHistogram()
		if err != nil {
			t.Fatal(err)
		}
		if h == nil {
			break
		}
		got[h.Tag()] = h
	}
	if len(got) != 4 {
		t.Fatalf("%d histograms, want 4", len(got))
	}
	first := &run.Repetitions[0]
	h := got[tag(first.Cell.Key()+":service:0.0.0")]
	want, err := first.Histograms[results.ServiceTime].Decode()
	if err != nil {
		t.Fatal(err)
	}
	if h == nil || !h.Equals(want) {
		t.Errorf("the service time of the first repetition reads back as %v", h)
	}
}

func TestVegetaReadsBack(t *testing.T) {
	origin := Origin{MonotonicNs: 1_000, Wall: epoch}
	records := []contract.ClientRecord{
		{ID: 1, Intended: 2_000, Sent: 2_000, FirstByte: 4_000, LastByte: 5_000, Status: 200, Outcome: contract.Answered},
		{ID: 2, Outcome: contract.Unsent},
		{ID: 3, Sent: 3_000, LastByte: 9_000, Status: 429, Outcome: contract.Rejected},
		{ID: 4, Sent: 4_000, Outcome: contract.Reset},
	}
	type seen struct {
		code    uint16
		latency time.Duration
		err     string
		at      time.Duration
	}
	want := []seen{{200, 3_000, "", 1_000}, {429, 6_000, "", 2_000}, {0, 0, "reset", 3_000}}
	for name, format := range map[string]struct {
		encode func(io.Writer, []contract.ClientRecord, Origin) error
		decode func(io.Reader) vegeta.Decoder
	}{
		"JSON": {VegetaJSON, vegeta.NewJSONDecoder},
		"CSV":  {VegetaCSV, vegeta.NewCSVDecoder},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := format.encode(&b, records, origin); err != nil {
				t.Fatal(err)
			}
			decode := format.decode(&b)
			var got []seen
			for {
				var r vegeta.Result
				err := decode.Decode(&r)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if r.Seq != uint64(len(got)) {
					t.Errorf("sequence %d, want %d", r.Seq, len(got))
				}
				got = append(got, seen{r.Code, r.Latency, r.Error, r.Timestamp.Sub(epoch)})
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(seen{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	paths, err := Files(dir, smallRun(t, 1, 1))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 3 {
		t.Errorf("%d files, want 3", len(paths))
	}
	for _, p := range paths {
		if info, err := os.Stat(p); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestBrokenHistogramIsAnError(t *testing.T) {
	run := smallRun(t, 1, 1)
	run.Repetitions[0].Histograms[results.ServiceTime] = "broken"
	for name, write := range map[string]func(io.Writer, *results.Run) error{"bench": Bench, "csv": CSV, "hlog": HdrLog} {
		if err := write(io.Discard, run); err == nil {
			t.Errorf("%s: a broken histogram went unnoticed", name)
		}
	}
}
