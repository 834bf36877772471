package matrix

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// call runs the program as the shell would.
func call(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errOut bytes.Buffer
	status = Main(ctx, args, strings.NewReader(""), &out, &errOut)
	return status, out.String(), errOut.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-update rewrites it):\n%s", name, d)
	}
}

func TestHelp(t *testing.T) {
	status, out, _ := call(t.Context(), "help")
	if status != exitOK {
		t.Errorf("status %d", status)
	}
	golden(t, "help.txt", out)
	var all strings.Builder
	for _, c := range commands() {
		status, out, _ := call(t.Context(), "help", c.name)
		if status != exitOK || !strings.HasPrefix(out, "matrix "+c.name) {
			t.Errorf("help %s: status %d, %.40q", c.name, status, out)
		}
		_, byFlag, _ := call(t.Context(), c.name, "--help")
		if byFlag != out {
			t.Errorf("%s --help differs from help %s", c.name, c.name)
		}
		all.WriteString(out + "\n")
	}
	golden(t, "help-commands.txt", all.String())
}

func TestWrongUsage(t *testing.T) {
	for _, c := range []struct {
		story string
		args  []string
		want  string // in standard error
	}{
		{"nothing", nil, "Usage:"},
		{"no such command", []string{"rnu"}, `unknown command "rnu"`},
		{"no help for it", []string{"help", "rnu"}, `unknown command "rnu"`},
		{"no such flag", []string{"run", "--specs", "quick"}, "flag provided but not defined"},
		{"no such spec", []string{"run", "--spec", "quik"}, `spec "quik" is neither a file nor one of the embedded`},
		{"no such section", []string{"plan", "--sections", "streams"}, `no section "streams"; it has`},
		{"an argument too many", []string{"plan", "quick"}, `unexpected argument "quick"`},
		{"blocks below zero", []string{"plan", "--blocks", "-1"}, "--blocks -1"},
		{"programs that are not there", []string{"run", "--sections", "mock", "--bin", "testdata"}, "gateway is missing"},
		{"a run that is not there", []string{"report", "no-such-run"}, `run "no-such-run"`},
		{"a report of nothing", []string{"report"}, "want a run"},
		{"a format that is none", []string{"export", "no-such-run", "--format", "pdf"}, `run "no-such-run"`},
		{"a yardstick that is none", []string{"compare", "haproxy"}, "want nginx, wrk, builds or slow"},
		{"a build beside none", []string{"compare", "builds"}, "--against DIR belong together"},
		{"a yardstick beside a build", []string{"compare", "wrk", "--against", "."}, "--against DIR belong together"},
		{"too few blocks", []string{"compare", "wrk", "--blocks", "2"}, "blocks 2: want 5"},
		{"no body", []string{"body", "51KB"}, `request body "51KB"`},
		{"no number of requests", []string{"bench", "many"}, `requests: "many"`},
		{"targets of no run", []string{"targets", "x"}, `run "x": no run.jsonl there`},
	} {
		t.Run(c.story, func(t *testing.T) {
			status, _, errOut := call(t.Context(), c.args...)
			if status != exitUsage || !strings.Contains(errOut, c.want) {
				t.Errorf("status %d, standard error %q, want 2 and %q", status, errOut, c.want)
			}
		})
	}
}

func TestBenchEnvironmentErrorsNameTheVariable(t *testing.T) {
	t.Setenv("TOLLGATE_BENCH_STREAM_EVERY", "often")
	status, out, errOut := call(t.Context(), "bench", "10", "1")
	if status != exitUsage || !strings.Contains(errOut, "TOLLGATE_BENCH_STREAM_EVERY") || out != "" {
		t.Errorf("status %d, %q, %q", status, out, errOut)
	}
}

func TestSmallCommands(t *testing.T) {
	status, out, _ := call(t.Context(), "targets")
	if status != exitOK || !strings.Contains(out, "gateway ≤ 1.5 × nginx") || !strings.Contains(out, "loadgen ≤ 1.5 × wrk") {
		t.Errorf("targets: %d %q", status, out)
	}
	status, out, _ = call(t.Context(), "body", "90B")
	if status != exitOK || len(out) != 90 {
		t.Errorf("body: %d %q", status, out)
	}
	status, out, _ = call(t.Context(), "version")
	if status != exitOK || !strings.HasPrefix(out, "matrix ") {
		t.Errorf("version: %d %q", status, out)
	}
}
