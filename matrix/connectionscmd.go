package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tollgate-lab/tollgate/matrix/internal/compare"
	"github.com/tollgate-lab/tollgate/matrix/internal/stack"
	"github.com/tollgate-lab/tollgate/matrix/internal/targets"
)

func connectionsCommand(ctx context.Context, in *invocation) (int, error) {
	fs := flags("connections")
	engines := fs.String("engine", "conn,epoll,nethttp", "")
	idle := fs.String("idle", "1,1000,10000", "")
	streams := fs.Int("streams", 1000, "")
	blocks := fs.Int("blocks", 5, "")
	bin := fs.String("bin", "", "")
	out := fs.String("out", "", "")
	if rest, err := parseMixed(fs, in.args); err != nil || len(rest) > 0 {
		if err == nil {
			err = wrong("connections: unexpected argument %q", rest[0])
		}
		return 0, err
	}
	var counts []int
	for f := range strings.SplitSeq(*idle, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 || n > 20_000 {
			return 0, wrong("connections: --idle %q: want numbers from 1 to 20000 parted by commas", *idle)
		}
		counts = append(counts, n)
	}
	if *streams < 0 || *streams > 10_000 || *blocks < 1 || *blocks > 100 {
		return 0, wrong("connections: --streams wants 0 to 10000, --blocks 1 to 100")
	}
	for e := range strings.SplitSeq(*engines, ",") {
		o := compare.Options{Blocks: compare.MinBlocks, Duration: 1e9, Conc: []int{1}, Workers: 1, Engine: e}
		if err := o.Validate(); err != nil || e == "" {
			return 0, wrong("connections: --engine %q: want some of conn, epoll, nethttp parted by commas", *engines)
		}
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
	h, err := compare.Connections(ctx, &stack.Site{Programs: l.programs, Dir: dir}, strings.Split(*engines, ","), counts, *streams, *blocks, say)
	if err != nil {
		return 0, err
	}
	if *out == "" {
		*out = filepath.Join(l.root, "results", "local", "connections.json")
	}
	b, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Dir(*out), 0o755); err != nil {
		return 0, err
	}
	if err := os.WriteFile(*out, append(b, '\n'), 0o644); err != nil {
		return 0, err
	}
	met, err := h.Markdown(in.stdout, t)
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(in.stdout, "\nSamples: %s\n", *out)
	if !met {
		return exitFailed, nil
	}
	return exitOK, nil
}
