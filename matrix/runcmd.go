package matrix

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/drive"
	"github.com/tollgate-lab/tollgate/matrix/internal/progress"
	"github.com/tollgate-lab/tollgate/matrix/internal/report"
	"github.com/tollgate-lab/tollgate/results"
)

// register adds the flags that run and plan share.
func (f *planFlags) register(fs *flag.FlagSet) {
	fs.StringVar(&f.spec, "spec", "quick", "")
	fs.StringVar(&f.sections, "sections", "", "")
	fs.IntVar(&f.blocks, "blocks", 0, "")
	fs.Uint64Var(&f.seed, "seed", 0, "")
}

func (f *planFlags) parse(fs *flag.FlagSet, args []string) error {
	rest, err := parseMixed(fs, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return wrong("unexpected argument %q", rest[0])
	}
	if f.blocks < 0 {
		return wrong("--blocks %d: want 1 or more", f.blocks)
	}
	fs.Visit(func(fl *flag.Flag) { f.seedGiven = f.seedGiven || fl.Name == "seed" })
	return nil
}

func planCommand(ctx context.Context, in *invocation) (int, error) {
	var f planFlags
	fs := flags("plan")
	f.register(fs)
	all := fs.Bool("all", false, "")
	if err := f.parse(fs, in.args); err != nil {
		return 0, err
	}
	l, err := survey(ctx, &f)
	if err != nil {
		return 0, err
	}
	return exitOK, l.plan.Print(in.stdout, func(name string) int { return drive.BodyBytes(l.dataDir, name) }, *all)
}

func runCommand(ctx context.Context, in *invocation) (int, error) {
	var f planFlags
	fs := flags("run")
	f.register(fs)
	fs.StringVar(&f.bin, "bin", "", "")
	fs.StringVar(&f.postgres, "postgres", "", "")
	out := fs.String("out", "", "")
	publish := fs.Bool("publish", false, "")
	noTables := fs.Bool("no-tables", false, "")
	profile := fs.Bool("profile-cpu", false, "")
	if err := f.parse(fs, in.args); err != nil {
		return 0, err
	}
	l, err := survey(ctx, &f)
	if err != nil {
		return 0, err
	}
	if *publish && l.root == "" {
		return 0, wrong("--publish: BENCHMARKS.md is in a checkout, and this is none")
	}
	if *out == "" {
		*out = outFolder(l.root, *publish)
	}
	meter := newMeter(in)
	r := &runner{lab: l, flags: &f, in: in, meter: meter, out: *out, profile: *profile}
	dir, sum, err := r.run(ctx)
	meter.End()
	if dir == "" {
		return 0, err
	}
	return r.finish(dir, sum, err, *publish, !*noTables)
}

// outFolder is where a run's own folder is made.
func outFolder(root string, publish bool) string {
	if publish {
		return filepath.Join(root, "results", results.RunsDir)
	}
	return filepath.Join(root, "results", "local")
}

func newMeter(in *invocation) *progress.Meter {
	width, terminal := 0, false
	if f, ok := in.stderr.(*os.File); ok {
		width, terminal = progress.Terminal(f)
	}
	return progress.New(in.stderr, terminal, width, time.Now)
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// runner is one run of a plan.
type runner struct {
	lab   *lab
	flags *planFlags
	in    *invocation
	meter *progress.Meter
	out   string
	// profile keeps a CPU profile of each gateway cell.
	profile bool
}

// profilesDir is where a run's folder keeps CPU profiles.
const profilesDir = "profiles"

// run measures and writes. dir is the run's folder, "" when nothing was
// written.
func (r *runner) run(ctx context.Context) (dir string, s *drive.Summary, err error) {
	say := func(text string) { r.meter.Say("%s", text) }
	n, skipped := r.lab.plan.Items()
	r.meter.Say("spec %s: %d cells in %d blocks, about %v; %d skipped", r.lab.plan.Spec.Name, n, len(r.lab.plan.Blocks),
		r.lab.plan.Estimate(func(name string) int { return drive.BodyBytes(r.lab.dataDir, name) }).Round(time.Second), skipped)
	if err := r.lab.prepare(ctx, say); err != nil {
		return "", nil, err
	}
	site, closer, err := r.lab.site(ctx, say)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, closer()) }()
	h, err := r.lab.header(ctx, site, r.flags)
	if err != nil {
		return "", nil, err
	}
	w, err := results.Create(r.out, h)
	if err != nil {
		return "", nil, err
	}
	d := &drive.Driver{Plan: r.lab.plan, Site: site, Sink: w, Report: r.meter, DataDir: r.lab.dataDir}
	if r.profile {
		d.ProfileDir = filepath.Join(w.Dir(), profilesDir)
		n := len(drive.Profiled(r.lab.plan))
		r.meter.Say("%d CPU profiles after the last block, about %v more", n, (time.Duration(n) * drive.ProfileTime).Round(time.Second))
	}
	s, err = d.Run(ctx)
	final := &results.Final{Finished: time.Now().UTC(), Status: results.Complete, Warnings: s.Warnings}
	if s.Interrupted || err != nil {
		final.Status = results.Interrupted
	}
	return w.Dir(), s, errors.Join(err, w.Close(final))
}

// finish reads the run back, reports, publishes and says how it went.
func (r *runner) finish(dir string, s *drive.Summary, runErr error, publish, tables bool) (int, error) {
	run, err := results.ReadFile(dir)
	if err != nil {
		return exitFailed, errors.Join(runErr, err)
	}
	path, err := writeReport(dir, run)
	if err != nil {
		return exitFailed, errors.Join(runErr, err)
	}
	if tables {
		if err := report.Terminal(r.in.stdout, run); err != nil {
			return exitFailed, errors.Join(runErr, err)
		}
	}
	r.verdict(s, path)
	if err := lintAfter(r.in.stdout, dir); err != nil {
		return exitFailed, errors.Join(runErr, err)
	}
	if runErr != nil {
		return exitFailed, runErr
	}
	if s.Interrupted {
		return exitInterrupted, nil
	}
	if !s.Clean() {
		return exitFailed, nil
	}
	if publish {
		if err := publishRun(r.lab.root, run); err != nil {
			return exitFailed, err
		}
		fmt.Fprintf(r.in.stdout, "Published in %s\n", filepath.Join(r.lab.root, "BENCHMARKS.md"))
	}
	return exitOK, nil
}

// verdict prints what a reader must know at the end of a run.
func (r *runner) verdict(s *drive.Summary, path string) {
	w := r.in.stdout
	for _, skip := range s.Skips {
		fmt.Fprintf(w, "Skipped: %s", skip.Reason)
		if skip.Install != "" {
			fmt.Fprintf(w, "; install %s", skip.Install)
		}
		fmt.Fprintln(w)
	}
	for _, text := range s.Warnings {
		fmt.Fprintf(w, "Warning: %s\n", text)
	}
	for _, line := range slices.Concat(s.AuditFailures, s.Broken) {
		fmt.Fprintf(w, "FAILED: %s\n", line)
	}
	if len(s.Profiles) > 0 {
		fmt.Fprintf(w, "CPU profiles: %d in %s; to read one: go tool pprof -http=: %s\n",
			len(s.Profiles), filepath.Dir(s.Profiles[0]), s.Profiles[0])
	}
	fmt.Fprintf(w, "Report: %s\n", path)
	switch {
	case s.Interrupted:
		fmt.Fprintf(w, "Interrupted after %d cells: what was measured is in the report.\n", s.Ran)
	case s.Clean():
		fmt.Fprintf(w, "Audit: clean, %d cells run, %d skipped.\n", s.Ran, s.Skipped)
	default:
		fmt.Fprintf(w, "Audit: NOT CLEAN: %d sums did not close, %d cells could not be run.\n", len(s.AuditFailures), len(s.Broken))
	}
}
