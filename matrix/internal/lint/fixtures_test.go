package lint

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// read lints a fixture under a name that does not depend on where it lies.
func lintFixture(t *testing.T, path string) []Finding {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return Check(Parse(filepath.Base(path), string(text)))
}

func golden(t *testing.T, path string, list []Finding) {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, list); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s (-update rewrites it):\n%s", path, d)
	}
}

// TestRules: each rule has a file on which it fires and one on which no rule
// does. A folder is called like its rule.
func TestRules(t *testing.T) {
	folders, err := os.ReadDir("testdata/rules")
	if err != nil {
		t.Fatal(err)
	}
	fires, quiet := map[string]int{}, map[string]int{}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join("testdata/rules", folder.Name(), "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			rule := folder.Name()
			name := strings.TrimSuffix(filepath.Base(path), ".md")
			t.Run(rule+"/"+name, func(t *testing.T) {
				list := lintFixture(t, path)
				if strings.HasPrefix(name, "quiet-") {
					quiet[rule]++
					for _, f := range list {
						t.Errorf("must find nothing, but found %+v", f)
					}
					return
				}
				fires[rule]++
				if !slices.ContainsFunc(list, func(f Finding) bool { return f.Rule == rule }) {
					t.Errorf("%s does not fire", rule)
				}
				golden(t, strings.TrimSuffix(path, ".md")+".txt", list)
			})
		}
	}
	for _, r := range Rules() {
		if fires[r.Name] == 0 || quiet[r.Name] == 0 {
			t.Errorf("rule %s: %d files on which it fires, %d on which it does not; want both", r.Name, fires[r.Name], quiet[r.Name])
		}
	}
	if quiet["lengths"] == 0 {
		t.Error("no fixture shows that a length may vary")
	}
}

// TestPublished: what the four published reports must be told.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		story, file, rule, row, column string
	}{
		{"a mixed load below both pure loads", "frosty", ruleMixed, "10, mixed", "req/s"},
		{"a mixed load above both pure loads", "frosty", ruleMixed, "100, mixed", "req/s"},
		{"a cost that is said to grow and does not", "frosty", ruleTrend, "100", "change"},
		{"a gateway faster than its mock-direct row", "cortiq", ruleFloor, "Cortiq (Rust), 20", "req/s"},
		{"its p99 below that of mock-direct", "cortiq", ruleFloor, "Cortiq (Rust), 20", "p99"},
		{"sub-millisecond beside 1 ms in whole milliseconds", "cortiq", ruleResolution, "Cortiq (Rust), 20", "p99"},
		{"a median of 0 ms", "cortiq", ruleResolution, "Cortiq (Rust), 20", "p50"},
		{"p99 with 50 samples beyond it", "cortiq", ruleSamples, "Cortiq (Rust), 20", "p99"},
		{"MB/s that should be GB/s, 1 KB", "pforge", ruleBandwidth, "1 KB", "rate"},
		{"MB/s that should be GB/s, 10 KB", "pforge", ruleBandwidth, "10 KB", "rate"},
		{"MB/s that should be GB/s, 100 KB", "pforge", ruleBandwidth, "100 KB", "rate"},
		{"90x that is 11 to 12x", "pforge", ruleFactor, "dispatch, < 1 µs, 83–90 ns", "claim"},
		{"concurrent below sequential, called scaling", "pforge", ruleScaling, "1000", "throughput"},
		{"6x that is 0.6x", "pforge", ruleFactor, "", ""},
		{"±5 % beside two runs 11 % apart", "gw", ruleSpread, "chat, 90 B, 256", "req/s, earlier run"},
		{"all 200 from a quota that ran out", "gw", ruleQuota, "chat, 52 KB, 256", "req/s"},
	} {
		t.Run(c.story, func(t *testing.T) {
			list := lintFixture(t, filepath.Join("testdata/published", c.file+".md"))
			if !slices.ContainsFunc(list, func(f Finding) bool { return f.Rule == c.rule && f.Row == c.row && f.Column == c.column }) {
				t.Errorf("not found; found is\n%+v", list)
			}
		})
	}
	for _, name := range []string{"frosty", "cortiq", "pforge", "gw"} {
		golden(t, filepath.Join("testdata/published", name+".txt"), lintFixture(t, filepath.Join("testdata/published", name+".md")))
	}
}
