package pgtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// ErrNotInstalled says that no server was found, and what to install.
var ErrNotInstalled = errors.New("PostgreSQL's server programs were not found: install them (Debian, Ubuntu: package postgresql; " +
	"Fedora: postgresql-server; macOS: brew install postgresql) or put the directory of initdb on PATH")

// programs must all be there for a directory to count.
var programs = []string{"initdb", "postgres", "pg_isready", "createdb", "dropdb", "psql"}

// Find is the directory of the server's programs. It looks at PATH, at what
// pg_config names, and where Debian and others keep each major version, newest
// first.
func Find(ctx context.Context) (string, error) {
	var dirs []string
	if p, err := exec.LookPath("initdb"); err == nil {
		// The programs beside a link may be absent: Debian links a few only.
		if real, err := filepath.EvalSymlinks(p); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
		dirs = append(dirs, filepath.Dir(p))
	}
	if p, err := exec.LookPath("pg_config"); err == nil {
		if out, err := exec.CommandContext(ctx, p, "--bindir").Output(); err == nil {
			dirs = append(dirs, strings.TrimSpace(string(out)))
		}
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin", "/usr/local/opt/postgresql*/bin"} {
		found, _ := filepath.Glob(pattern) // the pattern is well-formed
		slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(majorIn(b), majorIn(a)) })
		dirs = append(dirs, found...)
	}
	for _, d := range dirs {
		if missing := missingIn(d); missing == "" {
			return d, nil
		}
	}
	return "", ErrNotInstalled
}

// missingIn is the first program that dir lacks.
func missingIn(dir string) string {
	for _, p := range programs {
		if st, err := os.Stat(program(dir, p)); err != nil || st.IsDir() {
			return p
		}
	}
	return ""
}

func program(dir, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(dir, name)
}

// majorIn is the number in a path such as /usr/lib/postgresql/15/bin, 0 when
// it has none.
func majorIn(path string) int {
	name := filepath.Base(filepath.Dir(path))
	n, _ := strconv.Atoi(name[strings.LastIndexFunc(name, func(r rune) bool { return r < '0' || r > '9' })+1:])
	return n
}

// versionOf asks the server program, e.g. "15.18".
func versionOf(ctx context.Context, bin string) (string, error) {
	out, err := exec.CommandContext(ctx, program(bin, "postgres"), "--version").Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", program(bin, "postgres"), err)
	}
	return parseVersion(string(out))
}

// parseVersion reads "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)".
func parseVersion(s string) (string, error) {
	_, rest, ok := strings.Cut(s, "(PostgreSQL) ")
	if f := strings.Fields(rest); ok && len(f) > 0 {
		return f[0], nil
	}
	return "", fmt.Errorf("not a PostgreSQL version: %q", s)
}
