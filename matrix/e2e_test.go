package matrix

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/matrix/internal/bench"
	"github.com/tollgate-lab/tollgate/results"
)

// TestMiniRun goes the whole line: spec, plan, in-process and direct stacks,
// load, audit, results, report, export.
func TestMiniRun(t *testing.T) {
	dir := t.TempDir()
	status, out, errOut := call(t.Context(), "run", "--spec", "testdata/mini.yaml", "--out", dir)
	if status != exitOK {
		t.Fatalf("status %d\n%s\n%s", status, out, errOut)
	}
	for _, want := range []string{"Audit: clean", "Report: " + dir} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in the output", want)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d runs, %v", len(entries), err)
	}
	home := filepath.Join(dir, entries[0].Name())
	run, err := results.ReadFile(home)
	if err != nil {
		t.Fatal(err)
	}
	checkMini(t, run)
	checkPublish(t, home, run)
	if status, out, errOut := call(t.Context(), "export", home, "--format", "bench"); status != exitOK || !strings.Contains(out, "Benchmark") {
		t.Errorf("export: %d %q %q", status, out, errOut)
	}
	if status, out, errOut := call(t.Context(), "report", home); status != exitOK || !strings.Contains(out, "Report: ") {
		t.Errorf("report: %d %q %q", status, out, errOut)
	}
}

func checkMini(t *testing.T, run *results.Run) {
	t.Helper()
	if run.Final == nil || run.Final.Status != results.Complete {
		t.Errorf("final %+v", run.Final)
	}
	seen := make(map[string]int)
	for i := range run.Repetitions {
		r := &run.Repetitions[i]
		key := r.Cell.Key()
		seen[r.Cell.Section]++
		if r.Skipped != nil {
			t.Errorf("%s skipped: %v", key, r.Skipped)
			continue
		}
		if !r.Audit.OK() {
			t.Errorf("%s: %+v", key, r.Audit)
		}
		if r.Scheduled != 40 || r.RequestsPerS <= 0 || r.MeasuredNs <= 0 {
			t.Errorf("%s: scheduled %d, %g per second, %d ns", key, r.Scheduled, r.RequestsPerS, r.MeasuredNs)
		}
		for _, name := range []string{results.ServiceTime, results.Toll, results.TollRequestLeg, results.TollResponseLeg} {
			h, err := r.Histograms[name].Decode()
			if err != nil || h.TotalCount() != 40 {
				t.Errorf("%s: histogram %s: %v", key, name, err)
			}
		}
		if r.Resources.Process == nil || r.Resources.Process.CPUNs <= 0 || r.CoresBusy <= 0 {
			t.Errorf("%s: resources %+v, cores busy %g", key, r.Resources.Process, r.CoresBusy)
		}
		if r.Resources.Gateway != nil || r.Resources.Mock != nil {
			t.Errorf("%s: one process cannot be split: %+v", key, r.Resources)
		}
		if r.Cell.LogStore == "sqlite" && (r.Log == nil || r.Log.Rows != 50) {
			t.Errorf("%s: log %+v, want 50 rows", key, r.Log)
		}
	}
	for section, want := range map[string]int{
		"concurrency-inprocess": 2 * 4, "engines": 2 * 3, "workers": 2 * 3, "log-store": 2 * 4, "bodies": 2 * 2,
	} {
		if seen[section] != want {
			t.Errorf("section %s: %d repetitions, want %d", section, seen[section], want)
		}
	}
	if want := 2*3 + 2*4 + 2*2; len(run.Sections) != want {
		t.Errorf("%d records without load, want %d", len(run.Sections), want)
	}
	for i := range run.Sections {
		if run.Sections[i].Cell.Surface == "waterfall" {
			if w := run.Sections[i].Waterfall; w == nil || w.Calls != 40 {
				t.Errorf("%s: %+v", run.Sections[i].Cell.Key(), w)
			}
			continue
		}
		d := run.Sections[i].Direct
		if d == nil || d.Failures != 0 || d.Calls != 40 {
			t.Errorf("%s: %+v", run.Sections[i].Cell.Key(), d)
		}
	}
}

// checkPublish publishes the run in a checkout of its own.
func checkPublish(t *testing.T, home string, run *results.Run) {
	t.Helper()
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "results", results.RunsDir, run.Header.Name), os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	if err := publishRun(root, run); err != nil {
		t.Fatal(err)
	}
	p, err := results.LoadPublished(filepath.Join(root, "results"))
	if err != nil || p.Sections["staged"] != run.Header.Name {
		t.Errorf("published %+v %v", p, err)
	}
	if differ, err := render(root, true); err != nil || len(differ) != 0 {
		t.Errorf("what was just rendered differs: %v %v", differ, err)
	}
	path := filepath.Join(root, "BENCHMARKS.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	spoiled := strings.Replace(string(text), run.Header.Name, "another-run", 1)
	if err := os.WriteFile(path, []byte(spoiled), 0o644); err != nil {
		t.Fatal(err)
	}
	if differ, err := render(root, true); err != nil || len(differ) != 1 || differ[0] != "BENCHMARKS.md" {
		t.Errorf("a changed figure goes unseen: %v %v", differ, err)
	}
	if differ, err := render(root, false); err != nil || len(differ) != 1 {
		t.Errorf("render: %v %v", differ, err)
	}
	again, err := os.ReadFile(path)
	if err != nil || string(again) != string(text) {
		t.Errorf("render does not bring the text back: %v", err)
	}
}

func TestBench(t *testing.T) {
	status, out, errOut := call(t.Context(), "bench", "200", "8")
	if status != exitOK {
		t.Fatalf("status %d: %s %s", status, out, errOut)
	}
	var r bench.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Mode != "inprocess" || r.Requests != 200 || r.Concurrency != 8 || r.StreamShare != 0.2 || r.Failures != 0 {
		t.Errorf("%+v", r)
	}
	if !(0 < r.P50 && r.P50 <= r.P95 && r.P95 <= r.P99 && r.P99 <= r.Max) || r.RequestsPerS <= 0 || r.Seconds <= 0 {
		t.Errorf("times do not rise: %+v", r)
	}
	if r.SamplesBeyond["p99"] != 2 || len(r.Warnings) == 0 {
		t.Errorf("2 samples lie beyond p99 of 200, and that wants a warning: %+v", r)
	}
}

// TestBenchWithAWrongKey: a gateway that refuses makes the status 1.
func TestBenchWithAWrongKey(t *testing.T) {
	t.Setenv("TOLLGATE_BENCH_KEY", "not-the-key")
	status, out, _ := call(t.Context(), "bench", "10", "2")
	if status != exitFailed || !strings.Contains(out, `"failures": 10`) || !strings.Contains(out, `"rejected": 10`) {
		t.Errorf("status %d: %s", status, out)
	}
}
