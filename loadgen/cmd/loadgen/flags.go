package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/results/contract"
)

const help = `loadgen puts load on an LLM gateway, or on anything that speaks its HTTP
interface, and measures every request.

  loadgen [flags]                         prints a table
  loadgen run [--job FILE] [--records FILE] [--quiet]
                                          a Job as JSON in (standard input
                                          without --job), a Result as JSON out

Where
  --target URL       base URL (http://127.0.0.1:8080)
  --path PATH        path (/v1/chat/completions)
  --method NAME      POST with a body, else GET
  --key TOKEN        bearer token; LOADGEN_KEY in the environment keeps it out
                     of the process list
  --header "N: V"    another header; may be given again
What
  --body FILE        request body, "-" for standard input; a short chat
                     completion when absent and the path is a chat's
  --model NAME       model of that short chat completion (mock)
  --stream-every N   0 never streams, 1 always, N every Nth request (0)
  --ask-usage        ask for the usage frame in streams
  --join HOW         how the request id travels: header (X-Request-Id), body
                     ("user" member) or none (header)
  --expect FILE      the text that every answer must carry
How much
  --conc N           connections; in open loop, the most in flight (1)
  --requests N       measured requests (1000, or no limit with --duration)
  --duration D       measured time, such as 10s
  --warmup N         requests before that, counted apart (0)
  --rate N           open loop: requests per second by a schedule made before
                     (0: closed loop, every connection always busy)
  --arrivals KIND    constant or poisson (constant)
  --seed N           of the poisson schedule (1)
  --timeout D        per request (30s)
  --client NAME      lean: raw HTTP/1.1 sockets (default); vegeta: net/http,
                     any target, TLS, at five times the cost (default for
                     https targets)
Output
  --records FILE     stamps of every measured request, binary
  --json             the Result as JSON instead of the table
  --all              percentiles with fewer than 100 samples beyond them too

Examples
  loadgen --key tg-dev --conc 50 --requests 10000 --stream-every 5
  loadgen --target http://127.0.0.1:9000 --path /v1/models --duration 5s
  loadgen --body chat.json --rate 200 --arrivals poisson --duration 30s --conc 64
  loadgen run --job job.json --records stamps.bin > result.json

Times are in the table as the user has them: "service" from the send to the
last byte, and in open loop "response" from the moment the schedule wanted the
request sent, so that a stalled target shows in full.

Exit status: 0; 1 when a request failed or the run could not be done; 2 for
wrong usage; 130 when interrupted, after printing what was measured.
`

// output says what becomes of the result in the mode for people.
type output struct {
	records string
	json    bool
	all     bool
}

// runFlags is the mode for people: flags in, a table out.
func runFlags(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	job, out, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, help)
		return exitOK, err
	}
	if err == nil {
		err = job.Validate()
	}
	if err != nil {
		return exitUsage, usageError{err}
	}
	show := newMeter(stderr)
	res, err := loadgen.Run(ctx, job, show.unless(false))
	show.end()
	if res == nil {
		return exitFailed, err
	}
	write := func() error { return writeTable(stdout, &job, res, out.all) }
	if out.json {
		write = func() error { return writeJSON(stdout, res) }
	}
	err = errors.Join(err, write(), writeRecords(out.records, res.Records))
	return status(res), err
}

func parseFlags(args []string) (job loadgen.Job, out output, err error) {
	fs := flag.NewFlagSet("loadgen", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	var bodyFile, expectFile, model, join string
	headers := headerFlag{}
	fs.StringVar(&job.Target, "target", "http://127.0.0.1:8080", "")
	fs.StringVar(&job.Path, "path", "/v1/chat/completions", "")
	fs.StringVar(&job.Method, "method", "", "")
	fs.StringVar(&job.Key, "key", os.Getenv("LOADGEN_KEY"), "")
	fs.Var(headers, "header", "")
	fs.StringVar(&bodyFile, "body", "", "")
	fs.StringVar(&model, "model", "mock", "")
	fs.IntVar(&job.StreamEvery, "stream-every", 0, "")
	fs.BoolVar(&job.AskUsage, "ask-usage", false, "")
	fs.StringVar(&join, "join", string(contract.JoinHeader), "")
	fs.StringVar(&expectFile, "expect", "", "")
	fs.IntVar(&job.Conc, "conc", 1, "")
	fs.IntVar(&job.Requests, "requests", 0, "")
	fs.DurationVar(&job.Duration, "duration", 0, "")
	fs.IntVar(&job.Warmup, "warmup", 0, "")
	fs.Float64Var(&job.RatePerS, "rate", 0, "")
	fs.StringVar(&job.Arrivals, "arrivals", "", "")
	fs.Uint64Var(&job.Seed, "seed", 1, "")
	fs.DurationVar(&job.Timeout, "timeout", loadgen.DefaultWait, "")
	fs.StringVar(&job.Client, "client", "", "")
	fs.StringVar(&out.records, "records", "", "")
	fs.BoolVar(&out.json, "json", false, "")
	fs.BoolVar(&out.all, "all", false, "")
	if err = fs.Parse(args); err != nil {
		return job, out, err
	}
	if fs.NArg() > 0 {
		return job, out, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	if job.Requests == 0 && job.Duration == 0 {
		given := false
		fs.Visit(func(f *flag.Flag) { given = given || f.Name == "requests" })
		if !given {
			job.Requests = 1000
		}
	}
	if job.Client == "" && strings.HasPrefix(job.Target, "https:") {
		job.Client = loadgen.ClientVegeta
	}
	job.Join = contract.Join(join)
	job.Headers = headers
	job.Nonce = nonce()
	job.KeepRecords = out.records != ""
	return job, out, readBodies(&job, bodyFile, expectFile, model)
}
