package matrix

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

const lintFixtures = "internal/lint/testdata"

func TestLint(t *testing.T) {
	fires := filepath.Join(lintFixtures, "published", "cortiq.md")
	quiet := filepath.Join(lintFixtures, "rules", "lengths", "quiet-vary.md")
	hint := filepath.Join(lintFixtures, "rules", "toll-near-40ms", "fire-median.md")
	for _, c := range []struct {
		story  string
		args   []string
		status int
		want   string // in standard output, or in standard error for status 2
	}{
		{"findings", []string{fires}, exitFailed, "cortiq.md:9: below-floor"},
		{"nothing", []string{quiet}, exitOK, "0 findings"},
		{"two files, one with findings", []string{quiet, fires}, exitFailed, "below-resolution"},
		{"hints leave the status alone", []string{hint}, exitOK, "0 findings, 2 hints"},
		{"Markdown", []string{fires, "--markdown"}, exitFailed, "| where | rule |"},
		{"the rules", []string{"--rules"}, exitOK, "littles-law"},
		{"no path", nil, exitUsage, "want a run's folder or a Markdown file"},
		{"two formats", []string{"--json", "--markdown", quiet}, exitUsage, "want one"},
		{"a file that is not there", []string{"absent.md"}, exitUsage, "absent.md"},
		{"a folder with no run", []string{"testdata"}, exitUsage, "no run"},
		{"neither a run nor Markdown", []string{"targets.yaml"}, exitUsage, "neither a run nor Markdown"},
	} {
		t.Run(c.story, func(t *testing.T) {
			status, out, errOut := call(t.Context(), append([]string{"lint"}, c.args...)...)
			text := out
			if c.status == exitUsage {
				text = errOut
			}
			if status != c.status || !strings.Contains(text, c.want) {
				t.Errorf("status %d, want %d with %q:\n%s%s", status, c.status, c.want, out, errOut)
			}
		})
	}
}

func TestLintJSON(t *testing.T) {
	status, out, _ := call(t.Context(), "lint", "--json", filepath.Join(lintFixtures, "published", "pforge.md"))
	var got struct {
		Findings []struct {
			Rule, File, Read, Why, Fits string
			Line                        int
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if status != exitFailed || len(got.Findings) == 0 || got.Findings[0].Line == 0 || got.Findings[0].Fits == "" {
		t.Errorf("status %d, %+v", status, got)
	}
	if _, out, _ := call(t.Context(), "lint", "--json", filepath.Join(lintFixtures, "rules", "lengths", "quiet-vary.md")); strings.TrimSpace(out) != "{\n  \"findings\": []\n}" {
		t.Errorf("nothing found is %q", out)
	}
}
