package matrix

import (
	"context"
	"fmt"
	"io"

	"github.com/tollgate-lab/tollgate/matrix/internal/lint"
)

const lintHelp = `matrix lint PATH...: look for figures that cannot be.

PATH is a run's folder, its run.jsonl, or a Markdown file from anywhere, whose
tables are recognised by the names and units of their columns. What is not
recognised is in no rule. Each finding says what was read where, why it cannot
be and what would be consistent.

  --json       one JSON object: {"findings": [...]}
  --markdown   a table
  --rules      list the rules, and check nothing

docs/lint.md shows an example for each rule. The status is 0 when nothing is
found, 1 when something is, 2 for wrong usage or what cannot be read. Hints
leave it alone.

Example:
  matrix lint BENCHMARKS.md results/runs/*
`

func lintCommand(_ context.Context, in *invocation) (int, error) {
	fs := flags("lint")
	asJSON := fs.Bool("json", false, "")
	asMarkdown := fs.Bool("markdown", false, "")
	list := fs.Bool("rules", false, "")
	paths, err := parseMixed(fs, in.args)
	if err != nil {
		return 0, err
	}
	if *asJSON && *asMarkdown {
		return 0, wrong("lint: --json and --markdown: want one")
	}
	if *list {
		for _, r := range lint.Rules() {
			fmt.Fprintf(in.stdout, "%-27s  %s\n", r.Name, r.About)
		}
		return exitOK, nil
	}
	if len(paths) == 0 {
		return 0, wrong("lint: want a run's folder or a Markdown file")
	}
	var found []lint.Finding
	for _, path := range paths {
		more, err := lint.Path(path)
		if err != nil {
			return 0, usageError{err}
		}
		found = append(found, more...)
	}
	var write func(io.Writer, []lint.Finding) error = lint.Text
	switch {
	case *asJSON:
		write = lint.JSON
	case *asMarkdown:
		write = lint.Markdown
	}
	if err := write(in.stdout, found); err != nil {
		return exitFailed, err
	}
	if lint.Contradictions(found) > 0 {
		return exitFailed, nil
	}
	return exitOK, nil
}

// lintAfter prints what is found in a run that has just been measured, or in a
// page that has just been rendered. Nothing is printed when nothing is found,
// and the status is that of the command.
func lintAfter(w io.Writer, path string) error {
	found, err := lint.Path(path)
	if err != nil || len(found) == 0 {
		return err
	}
	fmt.Fprintln(w, "matrix lint:")
	return lint.Text(w, found)
}
