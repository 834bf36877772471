package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/tollgate-lab/tollgate/matrix/internal/bench"
)

func benchCommand(ctx context.Context, in *invocation) (int, error) {
	rest, err := parseMixed(flags("bench"), in.args)
	if err != nil {
		return 0, err
	}
	c, err := bench.Parse(rest, in.getenv)
	if err = errors.Join(err, bench.Unknown(os.Environ())); err != nil {
		return 0, usageError{err}
	}
	dir, remove, err := scratch()
	if err != nil {
		return 0, err
	}
	defer remove()
	r, err := bench.Run(ctx, c, dir)
	if err != nil {
		return 0, err
	}
	out, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(in.stdout, "%s\n", out)
	if r.Failures > 0 {
		return exitFailed, nil
	}
	return exitOK, nil
}

// scratch is a folder of the run's own; remove takes it away.
func scratch() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "tollgate-run-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}
