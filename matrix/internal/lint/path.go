package lint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tollgate-lab/tollgate/results"
)

// maxText bounds a Markdown file, in bytes.
const maxText = 64 << 20

// Path checks what path names: a run's folder, its data file, or a Markdown
// file.
func Path(path string) ([]Finding, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	name := filepath.Base(path)
	switch {
	case info.IsDir():
		if _, err := os.Stat(filepath.Join(path, results.FileName)); err != nil {
			return nil, fmt.Errorf("lint %s: no run: there is no %s in this folder", path, results.FileName)
		}
		return runFolder(path)
	case name == results.FileName:
		return runFolder(filepath.Dir(path))
	case strings.EqualFold(filepath.Ext(name), ".jsonl"):
		return nil, fmt.Errorf("lint %s: a run's file is called %s", path, results.FileName)
	}
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".markdown", ".mdown", ".txt", "":
	default:
		return nil, fmt.Errorf("lint %s: neither a run nor Markdown", path)
	}
	if info.Size() > maxText {
		return nil, fmt.Errorf("lint %s: %d bytes, at most %d are read", path, info.Size(), maxText)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	if strings.ContainsRune(string(text), 0) {
		return nil, fmt.Errorf("lint %s: %w", path, errBinary)
	}
	return Check(Parse(path, string(text))), nil
}

var errBinary = errors.New("not text")

func runFolder(dir string) ([]Finding, error) {
	run, err := results.ReadFile(dir)
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	path := filepath.Join(dir, results.FileName)
	lines, err := repetitionLines(path)
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	return check(path, run, lines)
}
