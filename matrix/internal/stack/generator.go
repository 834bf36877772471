package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/matrix/internal/child"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Run is what one run of the generator gave.
type Run struct {
	*loadgen.Result
	// Usage is the generator process's own, CPUNs over the measured part; nil
	// when it shares this process.
	Usage *results.Usage
}

// runInner runs the generator in this process.
func runInner(ctx context.Context, job loadgen.Job) (*Run, error) {
	res, err := loadgen.Run(ctx, job, nil)
	if err != nil {
		return nil, err
	}
	if res.Interrupted {
		return nil, fmt.Errorf("load: %w", context.Cause(ctx))
	}
	return &Run{Result: res}, nil
}

// runOuter runs the generator's program: the job on its standard input, the
// result on its standard output, records in a file of dir.
func runOuter(ctx context.Context, file, dir string, job loadgen.Job) (*Run, error) {
	in, err := json.Marshal(&job)
	if err != nil {
		return nil, fmt.Errorf("encode job: %w", err)
	}
	args := []string{"run", "--quiet"}
	records := ""
	if job.KeepRecords {
		records = filepath.Join(dir, fmt.Sprintf("records-%06x.bin", job.Nonce))
		args = append(args, "--records", records)
		defer os.Remove(records)
	}
	var out bytes.Buffer
	c, err := child.Start(child.Options{Name: "loadgen", File: file, Args: args, Stdin: bytes.NewReader(in), Stdout: &out})
	if err != nil {
		return nil, err
	}
	select {
	case <-c.Exited():
	case <-ctx.Done():
		c.Kill()
		return nil, fmt.Errorf("loadgen: %w", context.Cause(ctx))
	}
	var exit *exec.ExitError
	if c.Err() != nil && (!errors.As(c.Err(), &exit) || exit.ExitCode() != 1) {
		return nil, c.Fault("%w", c.Err())
	}
	res := new(loadgen.Result)
	if err := json.Unmarshal(out.Bytes(), res); err != nil {
		// Status 1 stands for failed requests beside a result, or for no result.
		return nil, c.Fault("no result: %v (%v)", err, c.Err())
	}
	if records != "" {
		if res.Records, err = readRecords(records); err != nil {
			return nil, err
		}
	}
	r := &Run{Result: res}
	if u, ok := c.Usage(); ok {
		r.Usage = &results.Usage{
			CPUNs: res.CPUNs, PeakRSSBytes: u.PeakRSSBytes, VoluntarySwitches: u.Voluntary, InvoluntarySwitches: u.Involuntary, Processes: 1,
		}
	}
	return r, nil
}

func readRecords(path string) ([]contract.ClientRecord, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read client records: %w", err)
	}
	defer f.Close()
	return contract.ReadClientRecords(f)
}
