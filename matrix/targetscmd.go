package matrix

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
	"github.com/tollgate-lab/tollgate/results"
)

//go:embed targets.yaml
var targetsText []byte

func targetsCommand(_ context.Context, in *invocation) (int, error) {
	rest, err := parseMixed(flags("targets"), in.args)
	if err != nil {
		return 0, err
	}
	f, err := targets.Parse("matrix/targets.yaml", targetsText)
	if err != nil {
		return 0, err
	}
	if len(rest) == 0 {
		for _, t := range f.Targets {
			fmt.Fprintf(in.stdout, "%s: %s\n  %s%s\n  %s\n  %s\n", t.ID, t.Metric, t.Bound, onReference(&t), t.Why, t.Script)
		}
		return exitOK, nil
	}
	missed := 0
	for _, arg := range rest {
		dir, err := findRun(arg)
		if err != nil {
			return 0, err
		}
		run, err := results.ReadFile(dir)
		if err != nil {
			return 0, err
		}
		missed += judge(in.stdout, f, run)
	}
	if missed > 0 {
		return exitFailed, nil
	}
	return exitOK, nil
}

// judge prints what a run says of the targets whose sections it holds.
func judge(w io.Writer, f *targets.File, run *results.Run) (missed int) {
	held := make(map[string]bool)
	for _, name := range run.SectionNames() {
		held[name] = true
	}
	fmt.Fprintf(w, "Run %s\n", run.Header.Name)
	judged := 0
	for i := range f.Targets {
		t := &f.Targets[i]
		if t.From == nil || !held[t.From.Section] {
			continue
		}
		judged++
		v := t.Judge(run)
		word := "met"
		switch {
		case !v.Measured():
			fmt.Fprintf(w, "  not measured  %s: %s\n", t.ID, v.Why)
			continue
		case !v.Met:
			word = "MISSED"
			missed++
		}
		fmt.Fprintf(w, "  %-12s  %s: %.3g (%.3g to %.3g, %d), want %s%s\n",
			word, t.ID, v.Figure.Median, v.Figure.Min, v.Figure.Max, v.Figure.N, t.Bound, onReference(t))
	}
	if judged == 0 {
		fmt.Fprintln(w, "  it holds no section that a target is about")
	}
	return missed
}

// onReference says on which machine an absolute bound is judged.
func onReference(t *targets.Target) string {
	if t.Reference == "" {
		return ""
	}
	return " on " + strings.TrimSuffix(t.Reference, ".")
}
