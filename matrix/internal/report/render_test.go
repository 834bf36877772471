package report

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

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

func TestGoldens(t *testing.T) {
	run := fullRun(t)
	var report, terminal bytes.Buffer
	if err := Run(&report, run); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.md", report.Bytes())
	if err := Terminal(&terminal, run); err != nil {
		t.Fatal(err)
	}
	golden(t, "terminal.txt", terminal.Bytes())
	two, err := Render(nil, twoRuns(t))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "two-runs.md", two)
}

// Rendering over its own output changes nothing, and neither does the order of
// records in the file, which is random by design.
func TestRenderIsAPureFunction(t *testing.T) {
	first, err := Render(nil, Single(fullRun(t)))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "benchmarks.md", first)
	shuffled := fullRun(t)
	slices.Reverse(shuffled.Repetitions)
	slices.Reverse(shuffled.Sections)
	second, err := Render(first, Single(shuffled))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(first), string(second)); diff != "" {
		t.Errorf("the same run renders differently:\n%s", diff)
	}
}

func TestProseSurvives(t *testing.T) {
	in := twoRuns(t)
	first, err := Render(nil, in)
	if err != nil {
		t.Fatal(err)
	}
	const prose, figure = "One worker is enough here, *we* think. <!-- ours -->\n", "30,300"
	if !bytes.Contains(first, []byte(figure)) {
		t.Fatalf("the fixture has no figure %s to tamper with", figure)
	}
	edited := bytes.Replace(first, []byte("## Workers\n"), []byte("## Workers\n\n"+prose), 1)
	edited = bytes.ReplaceAll(edited, []byte(figure), []byte("99,999"))
	got, err := Render(edited, in)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got, []byte(prose)) {
		t.Error("prose outside the regions is gone")
	}
	if bytes.Contains(got, []byte("99,999")) {
		t.Error("a figure that was edited by hand inside a region survived")
	}
}

func TestRenderRefusesWhatIsNotPublishable(t *testing.T) {
	run := fullRun(t)
	run.Final.Status = results.Interrupted
	if _, err := Render(nil, Single(run)); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("an interrupted run was rendered: %v", err)
	}
}

func TestNothingPublished(t *testing.T) {
	out, err := Render(nil, Input{Published: &results.Published{Version: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(out, []byte("No published run holds this section.")) {
		t.Errorf("sections without a run do not say so:\n%s", out)
	}
}

// A run that feeds a section which the text has no place for is refused.
func TestEveryFedSectionNeedsARegion(t *testing.T) {
	run := newRun("20260314T092653Z-example-0123456789ab", epoch)
	load(t, run, contract.Cell{Section: "weather", Shape: contract.External, Target: results.TargetGateway, Conc: 50}, speed{30_000, 33_000, 400, 0}, 3, nil)
	_, err := Render(nil, Single(run))
	if err == nil || !strings.Contains(err.Error(), `region "weather" is missing`) {
		t.Fatalf("error %v", err)
	}
	out, err := Render([]byte(string(template)+"<!-- tollgate:begin weather -->\n<!-- tollgate:end weather -->\n"), Single(run))
	if err != nil || !bytes.Contains(out, []byte("| gateway | 30,300")) {
		t.Errorf("%v:\n%s", err, out)
	}
}

func TestReportOfAnInterruptedRun(t *testing.T) {
	run := newRun("20260314T092653Z-example-0123456789ab", epoch)
	load(t, run, contract.Cell{Section: "bodies", Shape: contract.External, Target: results.TargetGateway, Conc: 50}, speed{30_000, 33_000, 400, 60_000}, 1, nil)
	run.Final = nil
	var b bytes.Buffer
	if err := Run(&b, run); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "cut off") {
		t.Errorf("the report does not say that the run was cut off:\n%s", b.String())
	}
}

// TestBenchmarksIsWhatThePublishedRunsRender holds BENCHMARKS.md and the
// plots to published.yaml. It skips only where neither exists yet.
func TestBenchmarksIsWhatThePublishedRunsRender(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	dir := filepath.Join(root, "results")
	existing, err := os.ReadFile(filepath.Join(root, "BENCHMARKS.md"))
	_, noMap := os.Stat(filepath.Join(dir, results.PublishedFile))
	if errors.Is(err, fs.ErrNotExist) && errors.Is(noMap, fs.ErrNotExist) {
		t.Skip("neither BENCHMARKS.md nor results/published.yaml exists: nothing is published")
	}
	if err := errors.Join(err, noMap); err != nil {
		t.Fatal(err)
	}
	published, err := results.LoadPublished(dir)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := published.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Published: published, Runs: runs}
	want, err := Render(existing, in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(existing)); diff != "" {
		t.Errorf("BENCHMARKS.md is not what the published runs render (-want +got):\n%s", diff)
	}
	plots, err := Plots(in)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range plots {
		got, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(PlotsDir), name))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s/%s is not what the published runs draw", PlotsDir, name)
		}
	}
}
