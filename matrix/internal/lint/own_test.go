package lint

import (
	"path/filepath"
	"testing"
)

// TestOwnFigures: nothing is found in what this project publishes.
func TestOwnFigures(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	var paths []string
	patterns := []string{"BENCHMARKS.md", "README.md", "docs/*.md", "docs/decisions/*.md", "results/runs/*/report.md"}
	if !raceDetector { // one goroutine reads a run: there is nothing to detect
		patterns = append(patterns, "results/runs/*")
	}
	for _, pattern := range patterns {
		more, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(more) == 0 {
			t.Errorf("%s: no such file", pattern)
		}
		paths = append(paths, more...)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			list, err := Path(path)
			if err != nil {
				t.Error(err)
			}
			for _, f := range list {
				if f.Hint { // something to look at, not something that cannot be
					t.Logf("%+v", f)
					continue
				}
				t.Errorf("%+v", f)
			}
		})
	}
}
