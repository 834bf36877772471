//go:build unix

package matrix

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tollgate-lab/tollgate/results"
)

// programs builds what shape external starts.
func programs(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds three programs")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads process trees")
	}
	dir := t.TempDir()
	cmd := exec.Command("go", "build", "-o", dir+string(filepath.Separator),
		"../gateway/cmd/gateway", "../mockupstream/cmd/mockupstream", "../loadgen/cmd/loadgen")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return dir
}

// TestExternalRun: processes, workers, boot, a planned kill, and PostgreSQL
// where it is installed.
func TestExternalRun(t *testing.T) {
	bin, dir := programs(t), t.TempDir()
	status, out, errOut := call(t.Context(), "run", "--spec", "testdata/external.yaml", "--bin", bin, "--out", dir, "--no-tables")
	if status != exitOK {
		t.Fatalf("status %d\n%s\n%s", status, out, errOut)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d runs, %v", len(entries), err)
	}
	run, err := results.ReadFile(filepath.Join(dir, entries[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Repetitions {
		r := &run.Repetitions[i]
		if r.Skipped != nil {
			if r.Cell.LogStore != "postgres" {
				t.Errorf("%s skipped: %v", r.Cell.Key(), r.Skipped)
			}
			continue
		}
		checkSplit(t, r)
	}
	for i := range run.Sections {
		s := &run.Sections[i]
		want := 1
		if s.Cell.Workers > 1 {
			want = s.Cell.Workers + 1
		}
		if s.Boot == nil || s.Boot.HealthzNs <= 0 || s.Boot.Processes != want {
			t.Errorf("%s: %+v, want %d processes", s.Cell.Key(), s.Boot, want)
		}
	}
	if len(run.Sections) != 2 {
		t.Errorf("%d boots, want 2", len(run.Sections))
	}
}

// checkSplit: in shape external each piece's use is known apart.
func checkSplit(t *testing.T, r *results.Repetition) {
	t.Helper()
	key := r.Cell.Key()
	if !r.Audit.OK() {
		t.Errorf("%s: %+v", key, r.Audit.Failed())
	}
	if g := r.Resources.Generator; g == nil || g.CPUNs <= 0 || g.PeakRSSBytes <= 0 {
		t.Errorf("%s: generator %+v", key, g)
	}
	if m := r.Resources.Mock; m == nil || m.CPUNs <= 0 || m.Processes != 1 {
		t.Errorf("%s: mock %+v", key, m)
	}
	if r.Resources.Process != nil {
		t.Errorf("%s: pieces in processes of their own are counted as one", key)
	}
	gw := r.Resources.Gateway
	if r.Cell.Target == results.TargetFloor {
		if gw != nil || r.Ledger != nil {
			t.Errorf("%s: a floor with a gateway", key)
		}
		return
	}
	want := 1
	if r.Cell.Workers > 1 {
		want = r.Cell.Workers + 1
	}
	if gw == nil || gw.CPUNs <= 0 || gw.PeakRSSBytes <= 0 {
		t.Errorf("%s: gateway %+v", key, gw)
	} else if gw.Processes != want && r.Cell.Kill == "" {
		t.Errorf("%s: %d processes, want %d", key, gw.Processes, want)
	}
	if (r.Resources.Postgres != nil) != (r.Cell.LogStore == "postgres") {
		t.Errorf("%s: PostgreSQL's use is %+v", key, r.Resources.Postgres)
	}
}
