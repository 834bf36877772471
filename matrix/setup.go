package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/pgtest"
	"github.com/tollgate-lab/tollgate/matrix/bodies"
	"github.com/tollgate-lab/tollgate/matrix/internal/build"
	"github.com/tollgate-lab/tollgate/matrix/internal/host"
	"github.com/tollgate-lab/tollgate/matrix/internal/plan"
	"github.com/tollgate-lab/tollgate/matrix/internal/spec"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/results"
)

// planFlags are the flags that run and plan share.
type planFlags struct {
	spec, sections string
	blocks         int
	seed           uint64
	seedGiven      bool
	bin, postgres  string
}

// lab is what a command found out about the host and the sources.
type lab struct {
	root     string // of the module's checkout; "": none
	dataDir  string // folder of shared data; "": none
	bin      string // folder of programs; "": they are built
	pgBin    string // folder of PostgreSQL's programs; "": none
	facts    plan.Facts
	plan     *plan.Plan
	programs build.Programs
	hashes   build.Hashes
	checkout build.Checkout
}

// survey finds out what the host offers and expands the spec.
func survey(ctx context.Context, f *planFlags) (*lab, error) {
	s, err := spec.Load(f.spec)
	if err != nil {
		return nil, usageError{err}
	}
	l := &lab{root: moduleRoot(), bin: f.bin}
	if err := l.findBodies(); err != nil {
		return nil, err
	}
	l.findPrograms()
	if err := l.findProxies(); err != nil {
		return nil, err
	}
	if err := l.findPostgres(ctx, f.postgres); err != nil {
		return nil, err
	}
	if runtime.GOOS != "linux" {
		l.facts.NoWorkers = &results.Skipped{Reason: "workers share a port on Linux alone: here a gateway is one process"}
		l.facts.NoEpoll = &results.Skipped{Reason: "engine epoll is for Linux"}
		l.facts.NoCPUTime = &results.Skipped{Reason: "the CPU time of a process is read on Linux alone, and a waterfall measures nothing else"}
	}
	opt := plan.Options{Seed: s.Seed, Blocks: f.blocks}
	if f.seedGiven {
		opt.Seed = f.seed
	}
	if f.sections != "" {
		opt.Sections = strings.Split(f.sections, ",")
	}
	if l.plan, err = plan.Expand(s, l.facts, opt); err != nil {
		return nil, usageError{err}
	}
	return l, nil
}

func (l *lab) findBodies() error {
	dir, why := bodies.DataFolder(l.root, os.Getenv)
	if dir == "" {
		l.facts.NoBodies = &results.Skipped{Reason: why}
		return nil
	}
	l.dataDir = dir
	names, err := bodies.Folder(dir)
	l.facts.Bodies = names
	return err
}

func (l *lab) findPrograms() {
	if l.bin != "" {
		return
	}
	if l.root == "" {
		l.facts.NoExternal = &results.Skipped{
			Reason: "no checkout to build the programs from", Install: "run inside a checkout, or give --bin DIR",
		}
	} else if _, err := exec.LookPath("go"); err != nil {
		l.facts.NoExternal = &results.Skipped{
			Reason: "no go command to build the programs with", Install: "Go, or give --bin DIR",
		}
	}
}

func (l *lab) findPostgres(ctx context.Context, dir string) error {
	if dir != "" {
		l.pgBin = dir
		return nil
	}
	bin, err := pgtest.Find(ctx)
	switch {
	case errors.Is(err, pgtest.ErrNotInstalled):
		l.facts.NoPostgres = &results.Skipped{
			Reason:  "PostgreSQL's server programs were not found",
			Install: "package postgresql (Debian, Ubuntu), postgresql-server (Fedora) or postgresql (Homebrew)",
		}
	case err != nil:
		return err
	}
	l.pgBin = bin
	return nil
}

// needs reports whether an item that runs wants something.
func (l *lab) needs(want func(*plan.Item) bool) bool {
	return slices.ContainsFunc(l.plan.Blocks, func(b []plan.Item) bool {
		return slices.ContainsFunc(b, func(it plan.Item) bool { return it.Skip == nil && want(&it) })
	})
}

func external(it *plan.Item) bool   { return it.Cell.Shape == "external" }
func onPostgres(it *plan.Item) bool { return it.Cell.LogStore == "postgres" }

// prepare makes the programs and hashes the sources.
func (l *lab) prepare(ctx context.Context, say func(string)) error {
	if l.root != "" {
		l.checkout = build.ReadCheckout(ctx, l.root)
		if g, err := build.List(ctx, l.root); err == nil {
			if l.hashes, err = g.Hash(); err != nil {
				return err
			}
		} else if l.bin == "" && l.needs(external) {
			return err
		}
	}
	if !l.needs(external) {
		return nil
	}
	var err error
	if l.bin != "" {
		l.programs, err = build.In(l.bin, "the folder that --bin names")
		if err != nil {
			return usageError{err}
		}
		return nil
	}
	l.programs, err = build.Build(ctx, l.root, l.hashes, l.checkout, say)
	return err
}

// site makes the run's scratch folder and starts PostgreSQL if a cell needs
// it. closer takes both down.
func (l *lab) site(ctx context.Context, say func(string)) (s *stack.Site, closer func() error, err error) {
	dir, _, err := scratch()
	if err != nil {
		return nil, nil, err
	}
	s = &stack.Site{Programs: l.programs, Dir: dir}
	closer = func() error {
		var pgErr error
		if s.Postgres != nil {
			pgErr = s.Postgres.Stop()
		}
		return errors.Join(pgErr, os.RemoveAll(dir))
	}
	if !l.needs(onPostgres) {
		return s, closer, nil
	}
	say("starting a private PostgreSQL")
	s.Postgres, err = pgtest.Start(ctx, pgtest.Options{BinDir: l.pgBin})
	if err != nil {
		return nil, nil, errors.Join(err, closer())
	}
	return s, closer, nil
}

// header describes the run.
func (l *lab) header(ctx context.Context, s *stack.Site, f *planFlags) (*results.Header, error) {
	started := time.Now().UTC()
	fp := host.Fingerprint()
	src := results.Sources{Version: ownVersion(), HarnessHash: l.hashes.Harness, MockHash: l.hashes.Mock, GatewayCommit: l.checkout.Revision, GatewayDirty: l.checkout.Dirty}
	if l.programs.Gateway != "" {
		stamp, err := build.ReadStamp(l.programs.Gateway)
		if err != nil {
			return nil, err
		}
		fp.Go, src.Version = stamp.Go, stamp.Version
		if stamp.Revision != "" {
			src.GatewayCommit, src.GatewayDirty = stamp.Revision, stamp.Modified
		}
	}
	if s.Postgres != nil {
		fp.Postgres = s.Postgres.Version()
	}
	sp := l.plan.Spec
	h := &results.Header{
		Name: results.FolderName(started, hostPart(fp.Hostname), commitPart(src.GatewayCommit)), Started: started,
		Fingerprint: fp, Sources: src, Seed: l.plan.Seed, Proxies: l.proxyVersions(ctx),
		Spec:             results.Spec{Name: sp.Name, Hash: sum(sp.Text), Text: string(sp.Text)},
		Reproduce:        l.command(f, f.sections),
		SectionReproduce: make(map[string]string),
	}
	for _, sec := range sp.Sections {
		h.SectionReproduce[sec.Name] = l.command(f, sec.Name)
	}
	boot := host.BootHash()
	h.Sitting = results.Sitting{
		BootHash: boot, HarnessHash: src.HarnessHash, Started: started,
		ID: host.Hash(boot + src.HarnessHash + started.Format(time.RFC3339Nano)),
	}
	return h, nil
}

func hostPart(hash string) string {
	if len(hash) > 6 {
		return hash[:6]
	}
	return "host"
}

func commitPart(rev string) string {
	if rev == "" {
		return "uncommitted"
	}
	return rev
}

// command is what repeats the run, or one section of it.
func (l *lab) command(f *planFlags, sections string) string {
	name := f.spec
	if strings.ContainsRune(name, filepath.Separator) {
		name = filepath.Base(name) // the folder is the reader's own
	}
	cmd := fmt.Sprintf("go run ./matrix/cmd/matrix run --spec %s --seed %d", name, l.plan.Seed)
	if sections != "" {
		cmd += " --sections " + sections
	}
	if f.blocks > 0 {
		cmd += fmt.Sprintf(" --blocks %d", f.blocks)
	}
	return cmd
}
