package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// runJob is the mode for programs: a Job in, a Result out, both JSON. The
// result is written even when requests failed, which the status tells.
func runJob(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (int, error) {
	fs := flag.NewFlagSet("loadgen run", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	jobFile := fs.String("job", "", "")
	recordsFile := fs.String("records", "", "")
	quiet := fs.Bool("quiet", false, "")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, help)
			return exitOK, err
		}
		return exitUsage, usageError{err}
	}
	if fs.NArg() > 0 {
		return exitUsage, usageError{fmt.Errorf("unexpected argument %q", fs.Arg(0))}
	}
	job, err := readJob(*jobFile, stdin)
	if err != nil {
		return exitUsage, usageError{err}
	}
	if *recordsFile != "" {
		job.KeepRecords = true
	}
	if err := job.Validate(); err != nil {
		return exitUsage, usageError{err}
	}
	show := newMeter(stderr)
	res, err := loadgen.Run(ctx, job, show.unless(*quiet))
	show.end()
	if res == nil {
		return exitFailed, err
	}
	enc := json.NewEncoder(stdout)
	enc.SetIndent("", "  ")
	err = errors.Join(err, enc.Encode(res), writeRecords(*recordsFile, res.Records))
	return status(res), err
}

// readJob reads one Job and nothing else. An unknown key is an error: it is
// more likely a wrong name than a wish to be ignored.
func readJob(file string, stdin io.Reader) (job loadgen.Job, err error) {
	from, name := stdin, "standard input"
	if file != "" && file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return job, fmt.Errorf("read job: %w", err)
		}
		defer f.Close()
		from, name = f, file
	}
	dec := json.NewDecoder(from)
	dec.DisallowUnknownFields()
	if err := dec.Decode(&job); err != nil {
		return job, fmt.Errorf("read job from %s: %w", name, err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return job, fmt.Errorf("read job from %s: something follows the job", name)
	}
	return job, nil
}

// writeRecords writes the encoded records to file, if there is to be one.
func writeRecords(file string, records []contract.ClientRecord) error {
	if file == "" {
		return nil
	}
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("write records: %w", err)
	}
	w := bufio.NewWriter(f)
	var b []byte
	for i := range records {
		b = contract.AppendClientRecord(b[:0], &records[i])
		if _, err = w.Write(b); err != nil {
			break
		}
	}
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		return fmt.Errorf("write records to %s: %w", file, err)
	}
	return nil
}
