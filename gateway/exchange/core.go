package exchange

import (
	"errors"
	"strconv"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/dialect/openai"
	"github.com/tollgate-lab/tollgate/gateway/exchange/pool"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
)

// Deps is what a Core is made of. All of it is fixed for the Core's life: a
// new config makes a new Core.
type Deps struct {
	Snapshot *Snapshot
	// Admitter is needed when Stages.Auth is on.
	Admitter admission.Admitter
	// AwaitRows says that the log store promises a row before the response
	// ends (logrow.Appender.Awaits).
	AwaitRows bool
	// Ledger is this worker's counters; it is needed when Stages.Ledger is on.
	Ledger ledger.Slot
	// Local answers what the gateway itself serves beside its surfaces:
	// /healthz, /readyz, /metrics. nil: nothing. ok false: not one of them.
	Local func(now int64, method, path []byte) (status int, contentType string, body []byte, ok bool)
	// NewID writes a fresh request id of at most 64 printable bytes into dst
	// (64 bytes long) and returns its length.
	NewID func(dst []byte) int
}

// Core makes exchanges for one snapshot. It is safe for concurrent use.
type Core struct {
	d         Deps
	endpoints []Endpoint
	models    *openai.Models
	listed    []int       // models that are listed: index of each of models' entries in the snapshot
	entry     map[int]int // and back
	paths     [][numRoutes][]byte
	alias     [][]byte // each model's upstream name as JSON, nil: the client's own
	usage     bool     // some stage needs usage
	await     bool
	pool      pool.Of[Exchange]
}

// Errors are put together without package fmt, which reaches os.

// NewCore checks the snapshot and renders what does not change from request
// to request.
func NewCore(d Deps) (*Core, error) {
	if err := d.check(); err != nil {
		return nil, errors.New("exchange: " + err.Error())
	}
	s := d.Snapshot
	c := &Core{
		d:     d,
		usage: s.Stages.Admission || s.Stages.Ledger || s.Stages.Log,
		await: d.AwaitRows && s.Stages.Log,
		entry: make(map[int]int),
	}
	for i := range s.Providers {
		p := &s.Providers[i]
		c.endpoints = append(c.endpoints, p.Endpoint)
		c.paths = append(c.paths, [numRoutes][]byte{
			routeChat:       []byte(p.BasePath + "/chat/completions"),
			routeEmbeddings: []byte(p.BasePath + "/embeddings"),
		})
	}
	var names []string
	for i := range s.Models {
		m := &s.Models[i]
		var alias []byte
		if m.Upstream != "" {
			alias = openai.AppendString(nil, m.Upstream)
		}
		c.alias = append(c.alias, alias)
		if i != s.AnyModel {
			c.entry[i] = len(names)
			c.listed = append(c.listed, i)
			names = append(names, m.Name)
		}
	}
	c.models = openai.NewModels(names, s.Created)
	return c, nil
}

func (d *Deps) check() error {
	s := d.Snapshot
	switch {
	case s == nil:
		return errors.New("no snapshot")
	case d.NewID == nil:
		return errors.New("no source of request ids")
	case s.Stages.Auth && d.Admitter == nil:
		return errors.New("authentication is on and there is no admitter")
	case s.Stages.Admission && !s.Stages.Auth:
		return errors.New("admission needs authentication")
	case s.Stages.Ledger && d.Ledger == ledger.Slot{}:
		return errors.New("the ledger is on and there is no slot")
	case s.AnyModel < -1 || s.AnyModel >= len(s.Models):
		return index("the model that takes every name", s.AnyModel, len(s.Models))
	}
	for i := range s.Models {
		if m := &s.Models[i]; m.Provider < 0 || m.Provider >= len(s.Providers) {
			return index("the provider of model "+strconv.Quote(m.Name), m.Provider, len(s.Providers))
		}
	}
	for name, i := range s.ByName {
		if i < 0 || i >= len(s.Models) {
			return index("the model of name "+strconv.Quote(name), i, len(s.Models))
		}
	}
	return nil
}

func index(what string, i, n int) error {
	return errors.New(what + " is number " + strconv.Itoa(i) + ", and there are " + strconv.Itoa(n))
}

// Endpoints are the addresses that ActOpenUpstream's Endpoint indexes.
func (c *Core) Endpoints() []Endpoint { return c.endpoints }

// Limits bounds what clients may send.
func (c *Core) Limits() *Limits { return &c.d.Snapshot.Limits }

// Acquire returns an exchange for one request. The caller owns it until
// Release.
func (c *Core) Acquire() *Exchange {
	x := c.pool.Get()
	x.reset(c)
	return x
}

// Release gives an exchange back. After ActDone nothing is left to do; before
// it, what the exchange holds (a reservation, its place among those in flight)
// is given up as if the client had left, and its row is lost.
func (c *Core) Release(x *Exchange) {
	if x.state != stateNew && x.state != stateDone {
		var out Actions
		x.Step(x.now, &Event{Kind: EvCancelled, Delivered: x.delivered}, &out)
		if x.state == stateStoring {
			x.finish(&out)
		}
	}
	x.trim()
	c.pool.Put(x)
}
