package stack

import (
	"context"

	"github.com/tollgate-lab/tollgate/matrix/internal/proxy"
	"github.com/tollgate-lab/tollgate/results"
)

// startProxy puts the cell's proxy in front of the mock.
func (s *Stack) startProxy(ctx context.Context) error {
	c := &s.Cell
	file, err := proxy.Find(c.Target)
	if err != nil {
		return err
	}
	p, err := proxy.Start(ctx, proxy.Options{
		Name: c.Target, File: file, Upstream: s.mock.addr(), Dir: s.dir, Workers: c.Workers,
		Unbuffered: c.Flushed(), BodyBytes: results.BodyBytes(c.Body),
	})
	if err != nil {
		return err
	}
	s.gate = proxyGate{p}
	return nil
}

// proxyGate is a proxy in the gateway's place. It keeps no ledger.
type proxyGate struct{ *proxy.Proxy }

func (g proxyGate) addr() string                                     { return g.Addr() }
func (g proxyGate) pid() int                                         { return g.PID() }
func (g proxyGate) close() error                                     { return g.Close() }
func (proxyGate) ledger(context.Context) (results.LedgerSums, error) { return nil, nil }
