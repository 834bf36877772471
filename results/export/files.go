package export

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tollgate-lab/tollgate/results"
)

// Names of the files that Files writes.
const (
	BenchFile  = "bench.txt"
	CSVFile    = "run.csv"
	HdrLogFile = "run.hlog"
)

// Files writes the run's exports into folder dir and returns their paths.
func Files(dir string, run *results.Run) ([]string, error) {
	var paths []string
	for _, x := range []struct {
		name  string
		write func(io.Writer, *results.Run) error
	}{
		{BenchFile, Bench},
		{CSVFile, CSV},
		{HdrLogFile, HdrLog},
	} {
		path := filepath.Join(dir, x.name)
		f, err := os.Create(path)
		if err != nil {
			return paths, fmt.Errorf("export: %w", err)
		}
		if err := errors.Join(x.write(f, run), f.Close()); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
