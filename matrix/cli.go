package matrix

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// Exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1   // an audit failed, a cell could not be run, a request failed
	exitUsage       = 2   // wrong arguments, spec or environment
	exitInterrupted = 130 // 128 + SIGINT, as shells report it
)

// usageError is an error of whoever typed the command.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// wrong makes a usageError.
func wrong(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// invocation is one call of the program.
type invocation struct {
	args   []string // after the command's name
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
	getenv func(string) (string, bool)
}

// command is one word after "matrix".
type command struct {
	name, args, about string
	help              string
	run               func(ctx context.Context, in *invocation) (int, error)
}

func commands() []command {
	return []command{
		{"run", "[flags]", "run a spec, audit it, write results and report", runHelp, runCommand},
		{"plan", "[flags]", "show what a spec would run, and for how long", planHelp, planCommand},
		{"bench", "[requests] [concurrency]", "one quick measurement, one JSON report", benchHelp, benchCommand},
		{"report", "RUN...", "render the report of runs again", reportHelp, reportCommand},
		{"render", "[--check]", "write BENCHMARKS.md from the published runs", renderHelp, renderCommand},
		{"publish", "RUN...", "move a run's sections into BENCHMARKS.md", publishHelp, publishCommand},
		{"export", "RUN [flags]", "a run for benchstat, HdrHistogram or a spreadsheet", exportHelp, exportCommand},
		{"compare", "nginx|wrk|builds|slow [flags]", "measure against a yardstick, side by side", compareHelp, compareCommand},
		{"lint", "PATH...", "look for figures that cannot be", lintHelp, lintCommand},
		{"connections", "[flags]", "memory of a gateway that holds idle clients and open streams", connectionsHelp, connectionsCommand},
		{"body", "NAME", "print one of the lab's request bodies", bodyHelp, bodyCommand},
		{"targets", "[RUN...]", "list the figures that the project set itself, or judge runs", targetsHelp, targetsCommand},
		{"version", "", "print version and commit", versionHelp, versionCommand},
	}
}

// Main is the program. It returns the exit status.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	in := &invocation{stdin: stdin, stdout: stdout, stderr: stderr, getenv: os.LookupEnv}
	status, err := dispatch(ctx, args, in)
	var usage usageError
	switch {
	case err == nil:
		return status
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "matrix: %v\nRun matrix help for commands and examples.\n", err)
		return exitUsage
	case ctx.Err() != nil:
		fmt.Fprintf(stderr, "matrix: interrupted: %v\n", err)
		return exitInterrupted
	}
	fmt.Fprintf(stderr, "matrix: %v\n", err)
	return max(status, exitFailed)
}

func dispatch(ctx context.Context, args []string, in *invocation) (int, error) {
	if len(args) == 0 {
		writeHelp(in.stderr)
		return exitUsage, nil
	}
	name := args[0]
	if name == "help" || name == "-h" || name == "--help" {
		if len(args) > 1 && name == "help" {
			return helpFor(args[1], in)
		}
		writeHelp(in.stdout)
		return exitOK, nil
	}
	for _, c := range commands() {
		if c.name != name {
			continue
		}
		in.args = args[1:]
		status, err := c.run(ctx, in)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(in.stdout, c.help)
			return exitOK, nil
		}
		return status, err
	}
	return 0, wrong("unknown command %q", name)
}

func helpFor(name string, in *invocation) (int, error) {
	for _, c := range commands() {
		if c.name == name {
			fmt.Fprint(in.stdout, c.help)
			return exitOK, nil
		}
	}
	return 0, wrong("unknown command %q", name)
}

// flags is a flag set whose errors are usage errors; help is the command's own.
func flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

func parse(fs *flag.FlagSet, args []string) error {
	err := fs.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		return usageError{err}
	}
	return err
}

// parseMixed lets flags stand after arguments, and returns the arguments.
func parseMixed(fs *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := parse(fs, args); err != nil {
			return nil, err
		}
		if fs.NArg() == 0 {
			return rest, nil
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}
