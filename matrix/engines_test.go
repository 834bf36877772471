//go:build unix

package matrix

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tollgate-lab/tollgate/matrix/internal/proxy"
	"github.com/tollgate-lab/tollgate/results"
)

// onlyRun is the one run below dir, with its folder.
func onlyRun(t *testing.T, dir string) (home string, run *results.Run) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d runs, %v", len(entries), err)
	}
	home = filepath.Join(dir, entries[0].Name())
	if run, err = results.ReadFile(home); err != nil {
		t.Fatal(err)
	}
	return home, run
}

// TestProxiesAreCells: a real gateway, nginx and haproxy under the same load,
// joined request by request, audited, reported with ratios.
func TestProxiesAreCells(t *testing.T) {
	bin, dir := programs(t), t.TempDir()
	status, out, errOut := call(t.Context(), "run", "--spec", "testdata/engines.yaml", "--sections", "engines", "--bin", bin, "--out", dir)
	if status != exitOK {
		t.Fatalf("status %d\n%s\n%s", status, out, errOut)
	}
	home, run := onlyRun(t, dir)
	absent := make(map[string]bool)
	for _, name := range proxy.Names() {
		if _, err := proxy.Find(name); err != nil {
			t.Log(err)
			absent[name] = true
		} else if v := run.Header.Proxies[name]; !strings.HasPrefix(v, name+"/") {
			t.Errorf("the header says %q of %s's version", v, name)
		}
	}
	seen := make(map[string]int)
	for i := range run.Repetitions {
		r := &run.Repetitions[i]
		key := r.Cell.Key()
		if r.Skipped != nil {
			if !absent[r.Cell.Target] || r.Skipped.Install == "" {
				t.Errorf("%s skipped: %+v", key, r.Skipped)
			}
			continue
		}
		seen[r.Cell.Target]++
		if !r.Audit.OK() {
			t.Errorf("%s: %+v", key, r.Audit.Failed())
		}
		if h, err := r.Histograms[results.Toll].Decode(); err != nil || h.TotalCount() != r.Scheduled {
			t.Errorf("%s: %d of %d requests joined: %v", key, h.TotalCount(), r.Scheduled, err)
		}
		if proxy.Known(r.Cell.Target) {
			checkProxied(t, r)
		}
	}
	for _, target := range append(proxy.Names(), results.TargetGateway, results.TargetFloor) {
		if want := 4; seen[target] != want && !absent[target] {
			t.Errorf("%d repetitions of %s, want %d", seen[target], target, want)
		}
	}
	text, err := os.ReadFile(filepath.Join(home, reportFile))
	if err != nil {
		t.Fatal(err)
	}
	if !absent[proxy.Nginx] && !strings.Contains(string(text), "CPU ÷ nginx") {
		t.Errorf("the report sets nothing against nginx:\n%s", text)
	}
}

// TestTargetsJudgeARun: a run without the cells of a target misses none of them
// and meets none.
func TestTargetsJudgeARun(t *testing.T) {
	runs, err := filepath.Glob("../results/runs/*/" + results.FileName)
	if err != nil || len(runs) == 0 {
		t.Skip("no run is published here")
	}
	home := filepath.Dir(runs[len(runs)-1])
	status, out, errOut := call(t.Context(), "targets", home)
	if (status != exitOK && status != exitFailed) || !strings.Contains(out, filepath.Base(home)) || !strings.Contains(out, "boot-1-worker: ") {
		t.Errorf("status %d: %s %s", status, out, errOut)
	}
	if (status == exitFailed) != strings.Contains(out, "MISSED") {
		t.Errorf("status %d beside\n%s", status, out)
	}
	if status, _, _ := call(t.Context(), "targets", "no-such-run"); status != exitUsage {
		t.Errorf("status %d of a run that is not there", status)
	}
}

// checkProxied: a proxy keeps no ledger and no log, and its tree is read.
func checkProxied(t *testing.T, r *results.Repetition) {
	t.Helper()
	key := r.Cell.Key()
	if r.Ledger != nil || r.Log != nil {
		t.Errorf("%s: ledger %v, log %v of somebody else's proxy", key, r.Ledger, r.Log)
	}
	if u := r.Resources.Gateway; u == nil || u.CPUNs <= 0 || u.PeakRSSBytes <= 0 || u.Processes < 2 {
		t.Errorf("%s: the proxy's use is %+v", key, u)
	}
	if r.Cell.Engine != "" || r.Cell.Profile != "" || r.Cell.LogStore != "" {
		t.Errorf("%s: a proxy has no engine, profile or log", key)
	}
}

// TestCPUProfile keeps one of a real gateway under load, outside the results.
func TestCPUProfile(t *testing.T) {
	bin, dir := programs(t), t.TempDir()
	status, out, errOut := call(t.Context(), "run", "--spec", "testdata/engines.yaml", "--sections", "profiled", "--blocks", "1",
		"--profile-cpu", "--bin", bin, "--out", dir, "--no-tables")
	if status != exitOK {
		t.Fatalf("status %d\n%s\n%s", status, out, errOut)
	}
	home, run := onlyRun(t, dir)
	if len(run.Repetitions) != 1 {
		t.Errorf("%d repetitions: the profiled one is no result", len(run.Repetitions))
	}
	files, err := filepath.Glob(filepath.Join(home, profilesDir, "*.pprof"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q %v\n%s", files, err, errOut)
	}
	if !strings.Contains(out, "go tool pprof -http=: "+files[0]) {
		t.Errorf("the output does not say how to read it:\n%s", out)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	// The profile's string table names the functions that were sampled.
	plain, err := io.ReadAll(z)
	if err != nil || !bytes.Contains(plain, []byte("tollgate/gateway/engine/conn")) {
		t.Errorf("%d bytes without a function of the engine: %v", len(plain), err)
	}
}
