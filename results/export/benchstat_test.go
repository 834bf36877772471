package export

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// benchstat finds the stock program: installed, or built from the module
// that this one requires anyway.
func benchstat(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("benchstat"); err == nil {
		return path
	}
	path := filepath.Join(t.TempDir(), "benchstat.exe")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", path, "golang.org/x/perf/cmd/benchstat")
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("no benchstat to run (go install golang.org/x/perf/cmd/benchstat@latest): %v: %s", err, out)
	}
	return path
}

// The stock benchstat prints throughput, p50, p99 and CPU-µs per request of
// two exports, and sees a change where there is one.
func TestStockBenchstat(t *testing.T) {
	program := benchstat(t)
	dir := t.TempDir()
	for name, slower := range map[string]float64{"old.txt": 1, "new.txt": 1.5} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := Bench(f, smallRun(t, slower, 6)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, "old.txt", "new.txt")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("benchstat: %v\n%s", err, out)
	}
	text := string(out)
	for _, unit := range []string{"req/s", "p50-sec", "p99-sec", "gateway-CPU-µs/req", "sec/op", "toll-p50-sec"} {
		if !strings.Contains(text, unit) {
			t.Errorf("benchstat prints no table of %s", unit)
		}
	}
	for _, change := range []string{"-33.3", "+50.0"} {
		if !strings.Contains(text, change) {
			t.Errorf("benchstat does not see a change of %s %%", change)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}
