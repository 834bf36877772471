package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Root finds the module's root at or above dir; "" when there is none.
func Root(dir string) string {
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil {
			first, _, _ := strings.Cut(string(text), "\n")
			if strings.TrimSpace(first) == "module "+Module {
				return dir
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// listed is what go list tells of one package.
type listed struct {
	ImportPath string
	Dir        string
	Standard   bool
	GoFiles    []string
	CgoFiles   []string
	SFiles     []string
	HFiles     []string
	EmbedFiles []string
	Imports    []string
	Module     *struct {
		Path, Version string
		Main          bool
	}
}

// Graph is the packages that build the lab's programs.
type Graph struct {
	root string
	pkgs map[string]listed
}

// List asks the go command for the package graph under root.
func List(ctx context.Context, root string) (*Graph, error) {
	args := []string{"list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles,CgoFiles,SFiles,HFiles,EmbedFiles,Imports,Module", "./matrix/cmd/matrix"}
	for _, m := range mains {
		args = append(args, m.pkg)
	}
	out, err := output(ctx, root, "go", args...)
	if err != nil {
		return nil, err
	}
	g := &Graph{root: root, pkgs: make(map[string]listed)}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return g, nil
		} else if err != nil {
			return nil, fmt.Errorf("read go list: %w", err)
		}
		g.pkgs[p.ImportPath] = p
	}
}

// Hashes of what a run is made of, lower-case hexadecimal SHA-256.
type Hashes struct {
	Harness string // generator and runner, without the gateway and what only it uses
	Mock    string
	All     string // everything, the gateway too: the key of the cache
}

// Hash hashes the sources.
func (g *Graph) Hash() (h Hashes, err error) {
	gateway := func(path string) bool {
		return path == Module+"/gateway" || strings.HasPrefix(path, Module+"/gateway/")
	}
	none := func(string) bool { return false }
	if h.Harness, err = g.hash(gateway, Module+"/loadgen/cmd/loadgen", Module+"/matrix/cmd/matrix"); err != nil {
		return h, err
	}
	if h.Mock, err = g.hash(none, Module+"/mockupstream/cmd/mockupstream"); err != nil {
		return h, err
	}
	h.All, err = g.hash(none, slices.Collect(allMains())...)
	return h, err
}

func allMains() func(func(string) bool) {
	return func(yield func(string) bool) {
		for _, m := range mains {
			if !yield(Module + strings.TrimPrefix(m.pkg, ".")) {
				return
			}
		}
	}
}

// hash is over every package that roots reach without passing through one
// that is left out: the module's own by content, others by version.
func (g *Graph) hash(leaveOut func(path string) bool, roots ...string) (string, error) {
	reached := make(map[string]bool)
	todo := slices.Clone(roots)
	for len(todo) > 0 {
		path := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p, ok := g.pkgs[path]
		if reached[path] || !ok || p.Standard || leaveOut(path) {
			continue
		}
		reached[path] = true
		todo = append(todo, p.Imports...)
	}
	sum := sha256.New()
	others := make(map[string]bool)
	var own []string
	for path := range reached {
		if m := g.pkgs[path].Module; m != nil && !m.Main {
			others[m.Path+" "+m.Version] = true
			continue
		}
		own = append(own, path)
	}
	slices.Sort(own)
	for _, path := range own {
		if err := hashPackage(sum, g.pkgs[path]); err != nil {
			return "", err
		}
	}
	for _, line := range slices.Sorted(mapKeys(others)) {
		fmt.Fprintf(sum, "module %s\n", line)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func mapKeys(m map[string]bool) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func hashPackage(sum hash.Hash, p listed) error {
	files := slices.Concat(p.GoFiles, p.CgoFiles, p.SFiles, p.HFiles, p.EmbedFiles)
	slices.Sort(files)
	fmt.Fprintf(sum, "package %s\n", p.ImportPath)
	for _, name := range files {
		b, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return fmt.Errorf("hash sources: %w", err)
		}
		one := sha256.Sum256(b)
		fmt.Fprintf(sum, "%x %s\n", one, filepath.ToSlash(name))
	}
	return nil
}

// output runs a command in dir. Its standard error goes into the error.
func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, args[0], err, tail(stderr.String(), 2000))
	}
	return out, nil
}

func tail(s string, n int) string {
	s = strings.TrimSpace(s)
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}
