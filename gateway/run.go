package gateway

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/control"
	"github.com/tollgate-lab/tollgate/gateway/worker"
)

// Exit statuses of Run.
const (
	exitOK    = 0
	exitFault = 1 // it could not start, or ended by itself
	exitUsage = 2 // the command line or the config is wrong
)

// Run is the gateway program: it serves until ctx ends or SIGTERM or SIGINT
// comes, and returns the exit status.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	job, isWorker, err := worker.Inherit()
	if err != nil {
		fmt.Fprintln(stderr, "gateway:", err)
		return exitFault
	}
	if isWorker {
		return runWorker(ctx, args, job, stderr)
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if len(args) > 0 {
		switch args[0] {
		case "hash-key":
			return hashKey(args[1:], stdin, stdout, stderr)
		case "new-key":
			return newKey(args[1:], stdout, stderr)
		case "log":
			return printLog(ctx, args[1:], stdout, stderr)
		}
	}
	f, err := parseFlags(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		return exitOK
	case err != nil:
		return exitUsage
	case f.version:
		return printVersion(stdout, stderr)
	case f.helpConfig:
		text, err := config.Reference()
		if err != nil {
			fmt.Fprintln(stderr, "gateway:", err)
			return exitFault
		}
		fmt.Fprint(stdout, text)
		return exitOK
	}
	return serveOrCheck(ctx, f, stdout, stderr)
}

type flags struct {
	config                     string
	check, version, helpConfig bool
}

func parseFlags(args []string, stderr io.Writer) (f flags, err error) {
	set := flag.NewFlagSet("gateway", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.Usage = func() { fmt.Fprintln(stderr, "\"gateway --help\" shows how it is used.") }
	set.StringVar(&f.config, "config", "gateway.yaml", "")
	set.BoolVar(&f.check, "check-config", false, "")
	set.BoolVar(&f.version, "version", false, "")
	set.BoolVar(&f.helpConfig, "help-config", false, "")
	for _, a := range args {
		if a == "-h" || a == "-help" || a == "--help" {
			return f, flag.ErrHelp
		}
	}
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		err := fmt.Errorf("gateway: unknown command %q", set.Arg(0))
		fmt.Fprintln(stderr, err)
		set.Usage()
		return f, err
	}
	return f, nil
}

func serveOrCheck(ctx context.Context, f flags, stdout, stderr io.Writer) int {
	text, err := os.ReadFile(f.config)
	if err != nil {
		fmt.Fprintf(stderr, "gateway: read config: %v\n\"gateway --help-config > gateway.yaml\" makes one to begin with.\n", err)
		return exitUsage
	}
	cfg, err := config.Read(f.config, text, os.LookupEnv)
	if err != nil {
		fmt.Fprintf(stderr, "gateway: the config is refused:\n%v\n", err)
		return exitUsage
	}
	if f.check {
		return checkConfig(cfg, stdout, stderr)
	}
	log := newLogger(cfg.Logging, stderr)
	if cfg.State.Dir == "" && hasBudget(cfg) {
		log.Warn("budgets begin anew with every start: state.dir is not set")
	}
	if cfg.Workers > 1 && !worker.Supported {
		log.Warn("this system does not spread connections over processes that share a port: one process serves", "workers", cfg.Workers)
		cfg.Workers = 1
	}
	if cfg.Workers > 1 {
		err = supervise(ctx, cfg, text, log)
	} else {
		err = serve(ctx, cfg, Options{Logger: log}, nil, log)
	}
	var refused configError
	switch {
	case errors.As(err, &refused):
		fmt.Fprintf(stderr, "gateway: the config is refused:\n%v\n", refused)
		return exitUsage
	case err != nil:
		log.Error("ended", "error", err.Error())
		return exitFault
	}
	log.Info("ended")
	return exitOK
}

// configError is a config that is found wanting only when it is put to use: a
// secret that is not there, a certificate that does not load.
type configError struct{ error }

func (e configError) Unwrap() error { return e.error }

func hasBudget(c *config.Config) bool {
	for i := range c.Keys {
		if b := &c.Keys[i].Budget; b.Dollars != nil || b.Tokens != nil {
			return true
		}
	}
	return false
}

// serve runs one serving process until ctx ends, then drains. up is called when
// clients can connect; nil: it is said in the log.
func serve(ctx context.Context, cfg *config.Config, opts Options, up func() error, log *slog.Logger) error {
	g, err := New(cfg, opts)
	if err != nil {
		return err
	}
	if err := g.Start(); err != nil {
		return err
	}
	if up == nil {
		log.Info("serving", serving(cfg, g.Addr(), g.control)...)
	} else if err := up(); err != nil {
		return errors.Join(err, g.Shutdown(ctx))
	}
	select {
	case <-ctx.Done():
	case end := <-g.served:
		g.served <- end
		err = fmt.Errorf("the listener failed: %w", end)
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.DrainTimeout)
	defer cancel()
	if opts.job != nil {
		// Without its supervisor nobody waits for this worker's drain.
		go func() {
			select {
			case <-opts.job.Gone:
				cancel()
			case <-limit.Done():
			}
		}()
	}
	return errors.Join(err, g.Shutdown(limit))
}

// runWorker is a worker process: its config came with the job, so that all
// workers have the same.
func runWorker(ctx context.Context, args []string, job *worker.Job, stderr io.Writer) int {
	f, err := parseFlags(args, stderr)
	if err != nil {
		return exitUsage
	}
	cfg, err := config.Read(f.config, job.Payload, os.LookupEnv)
	if err != nil {
		fmt.Fprintln(stderr, "gateway: worker:", err)
		return exitUsage
	}
	log := newLogger(cfg.Logging, stderr).With("worker", job.Slot)
	// The supervisor says when to end. A terminal or a service manager may signal
	// every process of the gateway beside it: that must not end a drain.
	signal.Ignore(os.Interrupt)
	ctx, cancel := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer cancel()
	go func() {
		<-job.Gone
		cancel()
	}()
	if err := serve(ctx, cfg, Options{Logger: log, job: job}, job.Ready, log); err != nil {
		log.Error("ended", "error", err.Error())
		return exitFault
	}
	return exitOK
}

func checkConfig(c *config.Config, stdout, stderr io.Writer) int {
	_, err := c.Resolve(os.LookupEnv, 0)
	if err == nil {
		_, err = clientTLS(c.TLS)
	}
	if err != nil {
		fmt.Fprintf(stderr, "gateway: the config is refused:\n%v\n", err)
		return exitUsage
	}
	fmt.Fprintf(stdout, "ok: providers %d, models %d, keys %d; listens on %s with %d worker(s), engine %s, log %s\n",
		len(c.Providers), len(c.Models), len(c.Keys), c.Listen, c.Workers, c.Engine, c.Log.Store)
	return exitOK
}

func printVersion(stdout, _ io.Writer) int {
	v := control.BuildVersion()
	fmt.Fprintf(stdout, "tollgate gateway %s", v.Version)
	if v.Revision != "" {
		fmt.Fprintf(stdout, " (%s", v.Revision)
		if v.Dirty {
			fmt.Fprint(stdout, ", with changes")
		}
		fmt.Fprint(stdout, ")")
	}
	fmt.Fprintf(stdout, ", %s, %s\n", v.Go, v.Platform)
	return exitOK
}
