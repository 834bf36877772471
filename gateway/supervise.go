package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/control"
	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/metrics"
	"github.com/tollgate-lab/tollgate/gateway/worker"
)

// supervise runs cfg.Workers worker processes until ctx ends. text is the config
// file as it was read.
func supervise(ctx context.Context, cfg *config.Config, text []byte, log *slog.Logger) (err error) {
	resolved, err := cfg.Resolve(os.LookupEnv, time.Now().Unix())
	if err != nil {
		return configError{err}
	}
	now := engine.NewClock()
	mem, err := openMemory(cfg, resolved.Keys, true, now(), log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mem.close()) }()
	book, err := accounts.NewBook(mem.accounts, resolved.Keys, 0) // to read sums
	if err != nil {
		return err
	}
	slots := mem.slots(cfg.Workers)
	procs := procsPerWorker(cfg.Workers)
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	s, err := worker.New(worker.Options{
		Count: cfg.Workers, Addr: cfg.Listen, Payload: text, Files: mem.files(), DrainTimeout: cfg.DrainTimeout, Logger: log,
		Command: func(int) *exec.Cmd {
			cmd := exec.Command(program, os.Args[1:]...)
			cmd.Args[0] = os.Args[0]
			cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(procs))
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			return cmd
		},
		Died: func(slot int) {
			f := accounts.Reconcile(mem.accounts, slot)
			slots[slot].Reconcile(f)
			log.Warn("closed the books of a dead worker", "slot", slot,
				"reservations", f.Reservations, "nano_dollars", f.Nano, "tokens", f.Tok)
		},
	})
	if err != nil {
		return err
	}
	var ctl *control.Server
	if cfg.Control.Listen != "" {
		sums := func() []accounts.Sums { return book.Sums(now()) }
		m := metrics.New(metrics.Source{Slots: slots, Accounts: sums, Build: buildLabels(cfg)})
		ctl, err = control.Listen(cfg.Control.Listen, control.Handler(control.Source{
			Slots: slots, Accounts: sums, Metrics: m, Logger: log, Version: describe(cfg, procs),
			Ready:   func() error { return allReady(s, mem) },
			Workers: func() any { return s.States() },
		}), log)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ctl.Close()) }()
	}
	running, ended := context.WithCancel(ctx)
	var announcing sync.WaitGroup
	announcing.Go(func() {
		select {
		case <-s.Ready():
			mem.setAllReady()
			log.Info("serving", serving(cfg, s.Addr(), ctl)...)
		case <-running.Done():
		}
	})
	err = s.Run(ctx)
	ended()
	announcing.Wait()
	return err
}

func allReady(s *worker.Supervisor, mem *memory) error {
	switch {
	case s.Draining():
		return errDraining
	case !mem.allReady():
		return errStarting
	}
	for _, st := range s.States() {
		if !st.Ready {
			return fmt.Errorf("worker %d is not ready", st.Slot)
		}
	}
	return nil
}

// procsPerWorker is a worker's GOMAXPROCS: its share of the CPUs, but two, so that
// a commit of the log does not stand in the way of requests. An operator's own
// setting stands.
func procsPerWorker(workers int) int {
	procs := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") != "" {
		return procs
	}
	return min(procs, max(2, (procs+workers-1)/workers))
}

// serving is what is said once when clients can connect.
func serving(c *config.Config, addr string, ctl *control.Server) []any {
	args := []any{"addr", addr, "engine", c.Engine, "workers", c.Workers, "log_store", c.Log.Store}
	if ctl != nil {
		args = append(args, "control", ctl.Addr())
	}
	if c.Log.Store == "postgres" {
		args = append(args, "postgres_connections_at_most", c.Workers*c.Log.PoolConns)
	}
	return args
}
