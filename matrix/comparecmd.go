package matrix

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/matrix/internal/build"
	"github.com/tollgate-lab/tollgate/matrix/internal/compare"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
	"github.com/tollgate-lab/tollgate/results/contract"
)

func compareCommand(ctx context.Context, in *invocation) (int, error) {
	fs := flags("compare")
	o := compare.Options{}
	fs.IntVar(&o.Blocks, "blocks", 7, "")
	fs.DurationVar(&o.Duration, "duration", 3*time.Second, "")
	fs.IntVar(&o.Workers, "workers", 1, "")
	fs.StringVar(&o.Engine, "engine", compare.DefaultEngine, "")
	profile := fs.String("profile", string(compare.DefaultProfile), "")
	fs.StringVar(&o.Load, "load", compare.DefaultLoad, "")
	conc := fs.String("conc", "", "")
	bin := fs.String("bin", "", "")
	against := fs.String("against", "", "")
	herd := fs.Int("herd", compare.DefaultHerd, "")
	out := fs.String("out", "", "")
	rest, err := parseMixed(fs, in.args)
	if err != nil {
		return 0, err
	}
	if len(rest) != 1 || !slices.Contains([]string{"nginx", "wrk", "builds", "slow"}, rest[0]) {
		return 0, wrong("compare: want nginx, wrk, builds or slow")
	}
	name := rest[0]
	if (name == "builds") != (*against != "") {
		return 0, wrong("compare: builds and --against DIR belong together")
	}
	o.Profile = contract.Profile(*profile)
	run, usual := compare.Proxies, "50,256"
	switch name {
	case "wrk":
		run, usual = compare.Generators, "50"
	case "slow":
		if *herd < 1 || *herd > 5000 {
			return 0, wrong("compare: --herd %d: want 1 to 5000", *herd)
		}
		usual = "50"
		run = func(ctx context.Context, site *stack.Site, o compare.Options, t *targets.File, say func(string, ...any)) (*compare.Report, error) {
			return compare.SlowClients(ctx, site, o, *herd, t, say)
		}
	case "builds":
		other, err := build.In(*against, *against)
		if err != nil {
			return 0, wrong("compare: --against: %w", err)
		}
		usual = "50"
		run = func(ctx context.Context, site *stack.Site, o compare.Options, _ *targets.File, say func(string, ...any)) (*compare.Report, error) {
			return compare.Builds(ctx, site, other, o, say)
		}
	}
	if *conc == "" {
		*conc = usual
	}
	for f := range strings.SplitSeq(*conc, ",") {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0, wrong("compare: --conc %q: want numbers parted by commas", *conc)
		}
		o.Conc = append(o.Conc, n)
	}
	if err := o.Validate(); err != nil {
		return 0, wrong("compare: %w", err)
	}
	t, err := targets.Parse("matrix/targets.yaml", targetsText)
	if err != nil {
		return 0, err
	}
	l := &lab{root: moduleRoot(), bin: *bin}
	say := func(format string, args ...any) { fmt.Fprintf(in.stderr, format+"\n", args...) }
	if err := l.prepareAll(ctx, func(text string) { say("%s", text) }); err != nil {
		return 0, err
	}
	dir, remove, err := scratch()
	if err != nil {
		return 0, err
	}
	defer remove()
	r, err := run(ctx, &stack.Site{Programs: l.programs, Dir: dir}, o, t, say)
	if err != nil {
		return 0, err
	}
	if *out == "" {
		file := "compare-wrk.json"
		if name != "wrk" {
			file = fmt.Sprintf("compare-%s-%s-%s-%s.json", name, o.Engine, o.Profile, o.Load)
		}
		*out = filepath.Join(l.root, "results", "local", file)
	}
	if err := r.Save(*out); err != nil {
		return 0, err
	}
	if err := r.Markdown(in.stdout); err != nil {
		return 0, err
	}
	fmt.Fprintln(in.stdout)
	if name == "builds" {
		if err := r.Decide(in.stdout); err != nil {
			return 0, err
		}
	}
	held := true
	if name == "slow" {
		if held, err = r.TellSlow(in.stdout, t); err != nil {
			return 0, err
		}
		fmt.Fprintln(in.stdout)
	}
	fmt.Fprintf(in.stdout, "Samples: %s\n", *out)
	if !held || !r.Met() {
		return exitFailed, nil
	}
	return exitOK, nil
}

// prepareAll makes the programs whatever the plan says.
func (l *lab) prepareAll(ctx context.Context, say func(string)) (err error) {
	l.findPrograms()
	if l.facts.NoExternal != nil {
		return wrong("%s: %s", l.facts.NoExternal.Reason, l.facts.NoExternal.Install)
	}
	if l.bin != "" {
		l.programs, err = build.In(l.bin, "the folder that --bin names")
		return err
	}
	l.checkout = build.ReadCheckout(ctx, l.root)
	g, err := build.List(ctx, l.root)
	if err != nil {
		return err
	}
	if l.hashes, err = g.Hash(); err != nil {
		return err
	}
	l.programs, err = build.Build(ctx, l.root, l.hashes, l.checkout, say)
	return err
}
