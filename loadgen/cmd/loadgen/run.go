package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/tollgate-lab/tollgate/loadgen"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1   // a request failed, or the run could not be done
	exitUsage       = 2   // wrong flags or a wrong job
	exitInterrupted = 130 // 128 + SIGINT, as shells report it
)

// usageError is an error of whoever typed the command.
type usageError struct{ error }

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var code int
	var err error
	if len(args) > 0 && args[0] == "run" {
		code, err = runJob(ctx, args[1:], stdin, stdout, stderr)
	} else {
		code, err = runFlags(ctx, args, stdout, stderr)
	}
	var usage usageError
	switch {
	case err == nil:
		return code
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "loadgen: %v\nRun loadgen --help for flags and examples.\n", err)
		return exitUsage
	}
	fmt.Fprintf(stderr, "loadgen: %v\n", err)
	return exitFailed
}

// status is the exit status that a result calls for.
func status(res *loadgen.Result) int {
	switch {
	case res.Interrupted:
		return exitInterrupted
	case failures(res) > 0:
		return exitFailed
	}
	return exitOK
}
