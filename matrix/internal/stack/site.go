package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/pgtest"
	"github.com/tollgate-lab/tollgate/loadgen"
	"github.com/tollgate-lab/tollgate/matrix/internal/build"
	"github.com/tollgate-lab/tollgate/matrix/internal/proxy"
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Site is what a run lends to its repetitions.
type Site struct {
	Programs build.Programs  // shape external
	Dir      string          // the run's scratch folder
	Postgres *pgtest.Cluster // nil: cells that need it are skipped
	// MockListen pins the mock of shape inprocess to an address; "": a free port.
	MockListen string

	// EditConfig changes the text of a gateway's config in shape external; nil:
	// it stays as it is.
	EditConfig func(text string) string

	made atomic.Int64
}

// Stack is the pieces of one repetition, up and serving.
type Stack struct {
	Cell contract.Cell
	site *Site
	dir  string
	mock mock
	gate gate // nil: the load goes straight to the mock
	log  logstore.Config
	db   string // database of this repetition, dropped at the end
	runs atomic.Uint32
}

// Start puts a cell's pieces up.
func (site *Site) Start(ctx context.Context, c *contract.Cell) (s *Stack, err error) {
	n := site.made.Add(1)
	s = &Stack{Cell: *c, site: site}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start %s: %w", c.Key(), err), s.Close())
			s = nil
		}
	}()
	if s.dir, err = os.MkdirTemp(site.Dir, fmt.Sprintf("cell-%d-", n)); err != nil {
		return s, err
	}
	if err := s.startMock(ctx); err != nil {
		return s, err
	}
	if c.Target == "floor" {
		return s, nil
	}
	if proxy.Known(c.Target) {
		return s, s.startProxy(ctx)
	}
	if err := s.prepareLog(ctx, n); err != nil {
		return s, err
	}
	return s, s.startGate(ctx)
}

func (s *Stack) startMock(ctx context.Context) error {
	if s.Cell.Shape == contract.InProcess {
		m, err := startInnerMock(&s.Cell, s.site.MockListen)
		if err != nil {
			return err
		}
		s.mock = m
		return nil
	}
	m, err := startOuterMock(ctx, s.site.Programs.Mock, &s.Cell)
	if err != nil {
		return err
	}
	s.mock = m
	return nil
}

func (s *Stack) startGate(ctx context.Context) error {
	if s.Cell.Shape == contract.InProcess {
		g, err := startInnerGate(&s.Cell, s.mock.addr(), s.dir, s.log.DSN)
		if err != nil {
			return err
		}
		s.gate = g
		return nil
	}
	g, err := startOuterGate(ctx, s.site, &s.Cell, s.mock.addr(), s.dir, s.log.DSN)
	if err != nil {
		return err
	}
	s.gate = g
	return nil
}

// Target is the base URL that the load goes to.
func (s *Stack) Target() string {
	if s.gate == nil {
		return "http://" + s.mock.addr()
	}
	return "http://" + s.gate.addr()
}

// MockAddr is the address that the mock serves on.
func (s *Stack) MockAddr() string { return s.mock.addr() }

// Load runs the generator. Each run of a stack has ids of its own.
func (s *Stack) Load(ctx context.Context, job loadgen.Job) (*Run, error) {
	job.Target = s.Target()
	job.Nonce = uint32(s.site.made.Load())<<4 | s.runs.Add(1)&15
	if job.Key == "" && s.gate != nil && s.Cell.Profile != "" && s.Cell.Profile != contract.Bare {
		job.Key = Token
	}
	if s.Cell.Shape == contract.InProcess {
		return runInner(ctx, job)
	}
	return runOuter(ctx, s.site.Programs.Loadgen, s.dir, job)
}

// Truth is the mock's ground truth.
func (s *Stack) Truth(ctx context.Context) (contract.GroundTruth, error) { return s.mock.truth(ctx) }

// Stamps is the mock's stamps.
func (s *Stack) Stamps(ctx context.Context) ([]contract.MockStamp, error) { return s.mock.stamps(ctx) }

// Ledger is the gateway's sums now; nil for the floor.
func (s *Stack) Ledger(ctx context.Context) (results.LedgerSums, error) {
	if s.gate == nil {
		return nil, nil
	}
	return s.gate.ledger(ctx)
}

// GatewayPID is the root of the gateway's process tree; 0: none of its own.
func (s *Stack) GatewayPID() int {
	if s.gate == nil {
		return 0
	}
	return s.gate.pid()
}

// Roots is the roots of the process trees by piece; empty in shape inprocess.
func (s *Stack) Roots() map[string]int {
	roots := make(map[string]int)
	if pid := s.mock.pid(); pid != 0 {
		roots["mock"] = pid
	}
	if pid := s.GatewayPID(); pid != 0 {
		roots["gateway"] = pid
	}
	if s.log.Store == logstore.Postgres {
		roots["postgres"] = s.site.Postgres.PID()
	}
	return roots
}

// pollEvery is the pause between two looks at something that should become
// true.
const pollEvery = 2 * time.Millisecond

// drainTimeout bounds the wait for the last rows and reservations.
const drainTimeout = 20 * time.Second

// Drain waits until the gateway has nothing in flight and the fate of every
// row that it handed over is known, and returns its sums then. A drain that
// does not end returns the sums as they are: the audit names what is open.
func (s *Stack) Drain(ctx context.Context) (results.LedgerSums, error) {
	if s.gate == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, drainTimeout)
	defer cancel()
	for {
		sums, err := s.gate.ledger(ctx)
		if err != nil {
			return nil, fmt.Errorf("drain: %w", err)
		}
		if drained(sums) {
			return sums, nil
		}
		select {
		case <-ctx.Done():
			if context.Cause(ctx) == context.DeadlineExceeded {
				return sums, nil
			}
			return nil, fmt.Errorf("drain: %w", context.Cause(ctx))
		case <-time.After(pollEvery):
		}
	}
}

func drained(l results.LedgerSums) bool {
	if l["in_flight"] != 0 || l["open_reservations"] != 0 {
		return false
	}
	// Unreported: handed over by a worker that died before it said what became
	// of them.
	return l["rows_stored"]+l["rows_dropped"]+l["rows_failed"]+l["rows_unreported"] >= l["rows_appended"]
}

// Close takes everything down, gateway first, and removes what it wrote.
func (s *Stack) Close() error {
	var steps []func() error
	if s.gate != nil {
		steps = append(steps, s.gate.close)
	}
	if s.mock != nil {
		steps = append(steps, s.mock.close)
	}
	if s.db != "" {
		steps = append(steps, func() error {
			ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
			defer cancel()
			return s.site.Postgres.DropDatabase(ctx, s.db)
		})
	}
	if s.dir != "" {
		steps = append(steps, func() error { return os.RemoveAll(s.dir) })
	}
	return closeAll(steps...)
}
