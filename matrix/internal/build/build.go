package build

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// keep is the builds that stay in the cache; older ones are removed.
const keep = 10

// Checkout is the state of the version control at the module's root.
type Checkout struct {
	Revision string // "" when there is none
	Dirty    bool
}

// ReadCheckout asks git. No git, or no commit, is not an error.
func ReadCheckout(ctx context.Context, root string) Checkout {
	rev, err := output(ctx, root, "git", "rev-parse", "HEAD")
	if err != nil {
		return Checkout{}
	}
	c := Checkout{Revision: strings.TrimSpace(string(rev))}
	status, err := output(ctx, root, "git", "status", "--porcelain")
	c.Dirty = err != nil || len(status) > 0
	return c
}

// Build makes the programs, or takes them from the cache when the same
// sources at the same commit were built before. say is told what takes time.
func Build(ctx context.Context, root string, h Hashes, at Checkout, say func(string)) (Programs, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	parent := filepath.Join(cache, "tollgate", "programs")
	// Other compilers make other programs of the same sources.
	compiler := sha256.Sum256([]byte(runtime.Version() + runtime.GOOS + runtime.GOARCH))
	name := h.All[:24] + "-" + hex.EncodeToString(compiler[:4])
	if at.Revision != "" {
		// The stamp in the file is part of what was built.
		name += "-" + at.Revision[:min(12, len(at.Revision))]
		if at.Dirty {
			name += "-dirty"
		}
	}
	dir := filepath.Join(parent, name)
	if p, err := In(dir, "cache"); err == nil {
		now := time.Now()
		_ = os.Chtimes(dir, now, now) // the time only orders what is removed
		return p, nil
	}
	say("building gateway, mockupstream and loadgen (once for these sources; the first time takes a minute)")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return Programs{}, fmt.Errorf("build programs: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, "building-")
	if err != nil {
		return Programs{}, fmt.Errorf("build programs: %w", err)
	}
	defer os.RemoveAll(tmp)
	// The commit belongs in the files, whatever GOFLAGS says; where git does not
	// answer, asking for it would fail the build.
	stamp := "-buildvcs=false"
	if at.Revision != "" {
		stamp = "-buildvcs=auto"
	}
	args := []string{"build", stamp, "-o", tmp + string(filepath.Separator)}
	for _, m := range mains {
		args = append(args, m.pkg)
	}
	if _, err := output(ctx, root, "go", args...); err != nil {
		return Programs{}, fmt.Errorf("build programs: %w", err)
	}
	if err := os.Rename(tmp, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, inErr := In(dir, ""); inErr != nil { // not because another run was first
			return Programs{}, fmt.Errorf("build programs: %w", err)
		}
	}
	prune(parent)
	return In(dir, "built from "+root)
}

// prune removes all but the newest builds.
func prune(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	type aged struct {
		path string
		at   time.Time
	}
	var all []aged
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.IsDir() {
			all = append(all, aged{filepath.Join(parent, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(all, func(a, b aged) int { return b.at.Compare(a.at) })
	for _, old := range all[min(keep, len(all)):] {
		_ = os.RemoveAll(old.path) // left for the next time
	}
}
