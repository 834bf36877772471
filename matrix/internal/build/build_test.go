package build

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// little is a module of the same shape as ours.
func little() map[string]string {
	return map[string]string{
		"go.mod":                             "module " + Module + "\n\ngo 1.26\n",
		"gateway/gateway.go":                 "package gateway\n\nconst Name = \"g\"\n",
		"gateway/cmd/gateway/main.go":        "package main\n\nimport _ \"" + Module + "/gateway\"\n\nfunc main() {}\n",
		"mockupstream/mock.go":               "package mockupstream\n",
		"mockupstream/cmd/mockupstream/m.go": "package main\n\nimport _ \"" + Module + "/mockupstream\"\n\nfunc main() {}\n",
		"loadgen/load.go":                    "package loadgen\n",
		"loadgen/cmd/loadgen/main.go":        "package main\n\nimport _ \"" + Module + "/loadgen\"\n\nfunc main() {}\n",
		"matrix/cmd/matrix/main.go": "package main\n\nimport (\n\t_ \"" + Module + "/gateway\"\n\t_ \"" + Module + "/mockupstream\"\n\t_ \"" +
			Module + "/loadgen\"\n)\n\nfunc main() {}\n",
	}
}

func hashes(t *testing.T, dir string) Hashes {
	t.Helper()
	g, err := List(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	h, err := g.Hash()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestWhatEachHashCovers: a change moves the hashes of what it builds, and no
// others. Above all the gateway is no part of the instrument.
func TestWhatEachHashCovers(t *testing.T) {
	for _, c := range []struct {
		story, file        string
		harness, mock, all bool
	}{
		{"nothing changed", "", false, false, false},
		{"the gateway", "gateway/gateway.go", false, false, true},
		{"the gateway's program", "gateway/cmd/gateway/main.go", false, false, true},
		{"the mock", "mockupstream/mock.go", true, true, true}, // the runner holds the mock too
		{"the generator", "loadgen/load.go", true, false, true},
		{"the runner", "matrix/cmd/matrix/main.go", true, false, false}, // it is not among what is built
	} {
		t.Run(c.story, func(t *testing.T) {
			dir := t.TempDir()
			files := little()
			write(t, dir, files)
			before := hashes(t, dir)
			if c.file != "" {
				write(t, dir, map[string]string{c.file: files[c.file] + "\n// changed\n"})
			}
			after := hashes(t, dir)
			if got := before.Harness != after.Harness; got != c.harness {
				t.Errorf("harness changed: %v", got)
			}
			if got := before.Mock != after.Mock; got != c.mock {
				t.Errorf("mock changed: %v", got)
			}
			if got := before.All != after.All; got != c.all {
				t.Errorf("all changed: %v", got)
			}
		})
	}
}

func TestBuildOnceForTheSameSources(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sets the cache folder as Unix does")
	}
	dir := t.TempDir()
	write(t, dir, little())
	// The programs' cache moves away; the compiler's own stays.
	goCache, err := output(context.Background(), dir, "go", "env", "GOCACHE")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(goCache)))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	var said []string
	say := func(s string) { said = append(said, s) }
	h := hashes(t, dir)
	p, err := Build(t.Context(), dir, h, Checkout{}, say)
	if err != nil {
		t.Fatal(err)
	}
	stamp, err := ReadStamp(p.Gateway)
	if err != nil || stamp.Go != runtime.Version() {
		t.Errorf("stamp %+v %v", stamp, err)
	}
	again, err := Build(t.Context(), dir, h, Checkout{}, say)
	if err != nil || again.Gateway != p.Gateway || len(said) != 1 {
		t.Errorf("built %d times, %v", len(said), err)
	}
	// Another commit is another stamp, so another build.
	other, err := Build(t.Context(), dir, h, Checkout{Revision: "0123456789abcdef", Dirty: true}, say)
	if err == nil && (other.Gateway == p.Gateway || len(said) != 2) {
		t.Errorf("a build of another commit was taken from the cache")
	}
}

func TestRoot(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"a/go.mod":         "module " + Module + "\n",
		"a/b/go.mod":       "module somebody.else/thing\n",
		"a/b/c/x":          "",
		"elsewhere/go.mod": "module somebody.else/thing\n",
	})
	if got := Root(filepath.Join(dir, "a", "b", "c")); got != filepath.Join(dir, "a") {
		t.Errorf("root %q", got)
	}
	if got := Root(filepath.Join(dir, "elsewhere")); got != "" {
		t.Errorf("root %q of another module", got)
	}
}

func TestIn(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{exe("gateway"): "", exe("loadgen"): ""})
	if _, err := In(dir, ""); err == nil || !strings.Contains(err.Error(), "mockupstream is missing") {
		t.Errorf("error %v", err)
	}
}

func TestABrokenBuildShowsWhy(t *testing.T) {
	dir := t.TempDir()
	files := little()
	files["gateway/gateway.go"] = "package gateway\n\nvar x int = \"no\"\n"
	write(t, dir, files)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := Build(t.Context(), dir, Hashes{All: strings.Repeat("0", 64)}, Checkout{}, func(string) {})
	if err == nil || !strings.Contains(err.Error(), "gateway.go:3") {
		t.Errorf("error %v", err)
	}
}
