package matrix

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tollgate-lab/tollgate/matrix/internal/report"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/export"
)

// reportFile is the name of a run's own report.
const reportFile = "report.md"

// writeReport renders a run's own report into its folder.
func writeReport(dir string, run *results.Run) (path string, err error) {
	var b bytes.Buffer
	if err := report.Run(&b, run); err != nil {
		return "", err
	}
	path = filepath.Join(dir, reportFile)
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return "", fmt.Errorf("write report: %w", err)
	}
	return path, nil
}

// publishRun names the run for each of its sections and renders BENCHMARKS.md.
func publishRun(root string, run *results.Run) error {
	dir := filepath.Join(root, "results")
	p, err := results.LoadPublished(dir)
	if err != nil {
		return err
	}
	if err := p.Update(run); err != nil {
		return err
	}
	// What cannot be rendered is not published.
	if _, err := renderFrom(root, p, false); err != nil {
		return err
	}
	return p.Save(dir)
}

// render makes BENCHMARKS.md and its plots from the published runs. With
// check nothing is written; differ names what is not as it should be.
func render(root string, check bool) (differ []string, err error) {
	p, err := results.LoadPublished(filepath.Join(root, "results"))
	if err != nil {
		return nil, err
	}
	return renderFrom(root, p, check)
}

func renderFrom(root string, p *results.Published, check bool) (differ []string, err error) {
	runs, err := p.Load(filepath.Join(root, "results"))
	if err != nil {
		return nil, err
	}
	in := report.Input{Published: p, Runs: runs}
	path := filepath.Join(root, "BENCHMARKS.md")
	existing, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("render: %w", err)
	}
	text, err := report.Render(existing, in)
	if err != nil {
		return nil, err
	}
	plots, err := report.Plots(in)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{path: text}
	for name, svg := range plots {
		files[filepath.Join(root, filepath.FromSlash(report.PlotsDir), name)] = svg
	}
	for path, want := range files {
		have, err := os.ReadFile(path)
		if err == nil && bytes.Equal(have, want) {
			continue
		}
		rel, relErr := filepath.Rel(root, path)
		if relErr != nil {
			rel = path
		}
		differ = append(differ, rel)
		if check {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, want, 0o644)); err != nil {
			return differ, fmt.Errorf("render: %w", err)
		}
	}
	return differ, nil
}

func renderCommand(_ context.Context, in *invocation) (int, error) {
	fs := flags("render")
	check := fs.Bool("check", false, "")
	rest, err := parseMixed(fs, in.args)
	if err != nil {
		return 0, err
	}
	if len(rest) > 0 {
		return 0, wrong("render: unexpected argument %q", rest[0])
	}
	root := moduleRoot()
	if root == "" {
		return 0, wrong("render: BENCHMARKS.md is in a checkout, and this is none")
	}
	differ, err := render(root, *check)
	if err != nil {
		return 0, err
	}
	for _, name := range differ {
		if *check {
			fmt.Fprintf(in.stderr, "matrix: %s differs from what the published runs render; matrix render writes it\n", name)
		} else {
			fmt.Fprintln(in.stdout, name)
		}
	}
	if err := lintAfter(in.stderr, filepath.Join(root, "BENCHMARKS.md")); err != nil {
		return exitFailed, err
	}
	if *check && len(differ) > 0 {
		return exitFailed, nil
	}
	return exitOK, nil
}

// findRun is the folder of a run given by folder or name.
func findRun(arg string) (string, error) {
	root := moduleRoot()
	for _, dir := range []string{arg, filepath.Join(root, "results", "local", arg), filepath.Join(root, "results", results.RunsDir, arg)} {
		if _, err := os.Stat(filepath.Join(dir, results.FileName)); err == nil {
			return dir, nil
		}
	}
	return "", wrong("run %q: no %s there, nor in results/local or results/runs", arg, results.FileName)
}

// eachRun reads the runs that the arguments name.
func eachRun(in *invocation, name string, do func(dir string, run *results.Run) error) (int, error) {
	rest, err := parseMixed(flags(name), in.args)
	if err != nil {
		return 0, err
	}
	if len(rest) == 0 {
		return 0, wrong("%s: want a run's folder or name", name)
	}
	for _, arg := range rest {
		dir, err := findRun(arg)
		if err != nil {
			return 0, err
		}
		run, err := results.ReadFile(dir)
		if err != nil {
			return 0, err
		}
		if err := do(dir, run); err != nil {
			return 0, err
		}
	}
	return exitOK, nil
}

func reportCommand(_ context.Context, in *invocation) (int, error) {
	return eachRun(in, "report", func(dir string, run *results.Run) error {
		path, err := writeReport(dir, run)
		if err != nil {
			return err
		}
		if err := report.Terminal(in.stdout, run); err != nil {
			return err
		}
		_, err = fmt.Fprintf(in.stdout, "Report: %s\n", path)
		return err
	})
}

func publishCommand(_ context.Context, in *invocation) (int, error) {
	root := moduleRoot()
	if root == "" {
		return 0, wrong("publish: BENCHMARKS.md is in a checkout, and this is none")
	}
	return eachRun(in, "publish", func(dir string, run *results.Run) error {
		if bad := auditFailures(run); bad != "" {
			return fmt.Errorf("publish %s: its audit is not clean: %s", run.Header.Name, bad)
		}
		home := filepath.Join(root, "results", results.RunsDir, run.Header.Name)
		if !sameFile(dir, home) {
			if err := errors.Join(os.MkdirAll(filepath.Dir(home), 0o755), os.Rename(dir, home)); err != nil {
				return fmt.Errorf("publish %s: %w", run.Header.Name, err)
			}
		}
		return publishRun(root, run)
	})
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(x, y)
}

// auditFailures names the first check of a run that does not hold.
func auditFailures(run *results.Run) string {
	for i := range run.Repetitions {
		rep := &run.Repetitions[i]
		if rep.Skipped != nil {
			continue
		}
		for _, c := range rep.Audit.Failed() {
			return fmt.Sprintf("%s: %s: want %d, got %d", rep.Cell.Key(), c.Name, c.Want, c.Got)
		}
	}
	for i := range run.Sections {
		if d := run.Sections[i].Direct; d != nil && d.Failures > 0 {
			return fmt.Sprintf("%s: %s", run.Sections[i].Cell.Key(), d.FirstFailure)
		}
	}
	return ""
}

func exportCommand(_ context.Context, in *invocation) (int, error) {
	fs := flags("export")
	format := fs.String("format", "", "")
	rest, err := parseMixed(fs, in.args)
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 {
		return 0, wrong("export: want one run's folder or name")
	}
	dir, err := findRun(rest[0])
	if err != nil {
		return 0, err
	}
	run, err := results.ReadFile(dir)
	if err != nil {
		return 0, err
	}
	switch *format {
	case "bench":
		return exitOK, export.Bench(in.stdout, run)
	case "csv":
		return exitOK, export.CSV(in.stdout, run)
	case "hlog":
		return exitOK, export.HdrLog(in.stdout, run)
	case "":
	default:
		return 0, wrong("export: --format %q: want bench, csv or hlog", *format)
	}
	paths, err := export.Files(dir, run)
	for _, p := range paths {
		fmt.Fprintln(in.stdout, p)
	}
	return exitOK, err
}
