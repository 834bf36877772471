package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/tollgate-lab/tollgate/mockupstream"
)

const usage = `mockupstream is an instant mock of a provider that speaks OpenAI's dialect.

Usage:
  mockupstream [flags]

Flags:
  --listen ADDR    address for requests (default 127.0.0.1:9090; port 0: any free one)
  --control ADDR   address of the control port (default 127.0.0.1:9091)
  --script FILE    script of answers, timing and faults, JSON ("-": standard input)
  --frames N       content frames of a stream, and tokens of every answer
  --coalesce       send the frames of a stream in one write
  --version        print the version and leave

--frames and --coalesce win over the script.

Example: four frames 20 ms apart, every tenth request refused.
  cat > slow.json <<END
  {"frames": 4,
   "timing": {"first": {"kind": "lognormal", "mean_us": 5000, "sigma": 0.5},
              "gap":   {"kind": "constant", "mean_us": 20000}},
   "faults": [{"kind": "status", "status": 429, "retry_after_s": 1, "every": 10}]}
  END
  mockupstream --script slow.json &
  curl -N http://127.0.0.1:9090/v1/chat/completions \
       -d '{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}'
  curl http://127.0.0.1:9091/truth                   # what it received and sent
  curl -X DELETE http://127.0.0.1:9091/truth         # forget it
  curl -X PUT -d '{"frames": 74}' http://127.0.0.1:9091/script
  curl http://127.0.0.1:9091/truth/stamps            # binary, one record a request

Waits: none, constant, lognormal. Faults: status, reset, short, unterminated,
stall; each with "every" or "rate", and "on": any, plain or stream.

Exit status: 0 stopped by a signal, 1 failed, 2 wrong usage.
`

// run is the program; it returns its exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	fail := func(status int, err error) int {
		fmt.Fprintf(stderr, "mockupstream: %v\n", err)
		return status
	}
	fs := flag.NewFlagSet("mockupstream", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	listen := fs.String("listen", "127.0.0.1:9090", "")
	control := fs.String("control", "127.0.0.1:9091", "")
	file := fs.String("script", "", "")
	frames := fs.Int("frames", 0, "")
	coalesce := fs.Bool("coalesce", false, "")
	version := fs.Bool("version", false, "")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return 0
	case err != nil:
		return fail(2, fmt.Errorf("%w (--help shows the flags)", err))
	case fs.NArg() > 0:
		return fail(2, fmt.Errorf("unexpected argument %q (--help shows the flags)", fs.Arg(0)))
	case *version:
		fmt.Fprintln(stdout, "mockupstream", buildVersion())
		return 0
	}

	var script mockupstream.Script
	if *file != "" {
		var err error
		if script, err = readScript(*file, stdin); err != nil {
			return fail(2, err)
		}
	}
	fs.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "frames":
			script.Frames = *frames
		case "coalesce":
			script.Coalesce = *coalesce
		}
	})
	if err := script.Validate(); err != nil {
		return fail(2, err)
	}
	srv, err := mockupstream.New(mockupstream.Options{Listen: *listen, Control: *control, Script: script})
	if err != nil {
		return fail(2, err)
	}
	if err := srv.Start(); err != nil {
		return fail(1, err)
	}
	fmt.Fprintf(stdout, "mockupstream: serving on http://%s, control on http://%s\n", srv.Addr(), srv.ControlAddr())
	<-ctx.Done()
	if err := srv.Close(); err != nil {
		return fail(1, err)
	}
	return 0
}

func readScript(file string, stdin io.Reader) (mockupstream.Script, error) {
	var raw []byte
	var err error
	if file == "-" {
		raw, err = io.ReadAll(stdin)
	} else {
		raw, err = os.ReadFile(file)
	}
	if err != nil {
		return mockupstream.Script{}, fmt.Errorf("read script: %w", err)
	}
	s, err := mockupstream.DecodeScript(raw)
	if err != nil {
		return mockupstream.Script{}, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// buildVersion is the module's version and, when it was built in a checkout,
// the commit.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v, dirty := info.Main.Version, ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			v += " " + s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = " modified"
		}
	}
	return v + dirty + " " + info.GoVersion
}
