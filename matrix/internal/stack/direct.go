package stack

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/config"
	"github.com/tollgate-lab/tollgate/gateway/direct"
	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
	"github.com/tollgate-lab/tollgate/gateway/logstore"
	"github.com/tollgate-lab/tollgate/gateway/shm"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Direct is the gateway's exchange with no socket around it: real accounts,
// ledger and log, and the mock's own answer, fetched once. Its callers share
// one core, as the connections of one serving process do.
type Direct struct {
	core   *exchange.Core
	store  logstore.Store
	rows   logrow.Appender
	slot   ledger.Slot
	dir    string
	now    func() int64
	fields []exchange.Field
	body   []byte
	answer direct.Answer
	length int // body bytes that every answer must have
	made   uint32
	first  *Caller
}

// StartDirect assembles the exchange of a cell and makes sure that it answers
// rightly.
func (site *Site) StartDirect(ctx context.Context, c *contract.Cell, body []byte) (*Direct, error) {
	return site.StartStages(ctx, c, body, nil)
}

// StartStages is StartDirect with other stages than those of the cell's
// profile; nil: those. The cell's profile must have all of them.
func (site *Site) StartStages(ctx context.Context, c *contract.Cell, body []byte, stages *exchange.Stages) (d *Direct, err error) {
	d = &Direct{now: engine.NewClock()}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start %s: %w", c.Key(), err), d.Close())
			d = nil
		}
	}()
	if d.dir, err = os.MkdirTemp(site.Dir, "direct-"); err != nil {
		return d, err
	}
	auth, err := d.assemble(ctx, c, stages)
	if err != nil {
		return d, err
	}
	if d.body = body; c.StreamEvery == 1 {
		if d.body, err = asStream(body); err != nil {
			return d, err
		}
	}
	d.fields = []exchange.Field{
		{Name: []byte("Host"), Value: []byte("127.0.0.1")},
		{Name: []byte("Content-Type"), Value: []byte("application/json")},
	}
	if auth {
		d.fields = append(d.fields, exchange.Field{Name: []byte("Authorization"), Value: []byte("Bearer " + Token)})
	}
	d.first = d.Caller()
	if err := d.canned(ctx, c); err != nil {
		return d, err
	}
	return d, d.prove(c)
}

// assemble makes the core. auth says whether it wants a key.
func (d *Direct) assemble(ctx context.Context, c *contract.Cell, stages *exchange.Stages) (auth bool, err error) {
	text, err := configFor(c, "127.0.0.1:0", "127.0.0.1:0", absentUpstream, filepath.ToSlash(d.dir))
	if err != nil {
		return false, err
	}
	none := func(string) (string, bool) { return "", false }
	cfg, err := config.Read("gateway.yaml", []byte(text), none)
	if err != nil {
		return false, err
	}
	resolved, err := cfg.Resolve(none, time.Now().Unix())
	if err != nil {
		return false, err
	}
	if stages != nil {
		resolved.Snapshot.Stages = *stages
	}
	on := resolved.Snapshot.Stages
	d.slot = ledger.At(shm.NewHeap(ledger.Words(1)), 0, 0)
	deps := exchange.Deps{Snapshot: resolved.Snapshot, Ledger: d.slot, NewID: newID}
	if on.Auth {
		region := shm.NewHeap(accounts.Words(len(resolved.Keys)))
		if err := accounts.Claim(region, resolved.Keys, d.now()); err != nil {
			return false, err
		}
		book, err := accounts.NewBook(region, resolved.Keys, 0)
		if err != nil {
			return false, err
		}
		deps.Admitter = book
	}
	if on.Log {
		d.store, err = logstore.Open(ctx, logstore.Config{
			Store: logstore.Kind(c.LogStore), Durability: logstore.Durability(c.Durability), Path: filepath.Join(d.dir, "log"),
			Overflow: logstore.Block, // callers with no socket can outrun any store
		}, 0, logstore.WithCounters(d.slot))
		if err != nil {
			return false, err
		}
		d.rows, deps.AwaitRows = d.store, d.store.Awaits()
	}
	d.core, err = exchange.NewCore(deps)
	return on.Auth, err
}

// newID is for requests without an id; those of the lab have one.
func newID(dst []byte) int {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	return copy(dst, fmt.Sprintf("%x", b))
}

// settleEvery is the pause between two looks at a store that is to have every
// row. Each look costs CPU time, which is the store's when that is measured.
const settleEvery = 25 * time.Millisecond

// Settle waits until every row handed over is in the store. It is an error
// when one is lost.
func (d *Direct) Settle(ctx context.Context) error {
	if d.store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, drainTimeout, fmt.Errorf("the log store is not done after %v", drainTimeout))
	defer cancel()
	for {
		stored, appended := d.slot.Load(ledger.RowsStored), d.slot.Load(ledger.RowsAppended)
		if lost := d.slot.Load(ledger.RowsDropped) + d.slot.Load(ledger.RowsFailed); lost > 0 {
			return fmt.Errorf("the log store lost %d of %d rows", lost, appended)
		}
		if stored >= appended {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(settleEvery):
		}
	}
}

// Close stores the last rows and removes what was written.
func (d *Direct) Close() error {
	var errs []error
	if d.store != nil {
		ctx, cancel := context.WithTimeout(context.Background(), drainTimeout)
		defer cancel()
		errs = append(errs, d.store.Close(ctx))
	}
	if d.dir != "" {
		errs = append(errs, os.RemoveAll(d.dir))
	}
	return errors.Join(errs...)
}
