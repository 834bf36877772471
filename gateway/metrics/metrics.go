package metrics

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/common/expfmt"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
)

// Source is where the figures come from.
type Source struct {
	// Slots are the ledger's, one per worker.
	Slots []ledger.Slot
	// Accounts reads the keys' accounts; nil: none are kept.
	Accounts func() []accounts.Sums
	// Engine reads this process's connections; nil: it has none.
	Engine func() engine.Stats
	// Build is the labels of tollgate_build_info.
	Build map[string]string
}

// MaxKeys is the number of keys that have series of their own, those that spent
// most; the others are summed under the key "_other".
const MaxKeys = 200

// Metrics renders a source.
type Metrics struct {
	// Registries are made by the first scrape: a gateway that starts has no time
	// for figures that nobody asked for.
	whole, public func() (*prometheus.Registry, error)
}

// New is the figures of a source and of this process.
func New(src Source) *Metrics {
	public := src
	public.Accounts = nil
	return &Metrics{whole: registry(src), public: registry(public)}
}

func registry(src Source) func() (*prometheus.Registry, error) {
	return sync.OnceValues(func() (*prometheus.Registry, error) {
		r := prometheus.NewRegistry()
		for _, c := range []prometheus.Collector{
			collector{src},
			collectors.NewGoCollector(),
			collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		} {
			if err := r.Register(c); err != nil {
				return nil, fmt.Errorf("register metrics: %w", err)
			}
		}
		return r, nil
	})
}

// ContentType is that of Text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Text is all figures in Prometheus' text format.
func (m *Metrics) Text() ([]byte, error) { return text(m.whole) }

// PublicText is the figures that name no key: what clients may see.
func (m *Metrics) PublicText() ([]byte, error) { return text(m.public) }

func text(of func() (*prometheus.Registry, error)) ([]byte, error) {
	registry, err := of()
	if err != nil {
		return nil, err
	}
	families, err := registry.Gather()
	if err != nil {
		return nil, fmt.Errorf("gather metrics: %w", err)
	}
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			return nil, fmt.Errorf("render metrics: %w", err)
		}
	}
	return b.Bytes(), nil
}

// topKeys is the accounts that get series: at most MaxKeys, and the rest as one.
func topKeys(all []accounts.Sums) []accounts.Sums {
	if len(all) <= MaxKeys {
		return all
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b accounts.Sums) int {
		switch {
		case a.SpentNano > b.SpentNano:
			return -1
		case a.SpentNano < b.SpentNano:
			return 1
		}
		return 0
	})
	rest := accounts.Sums{Key: "_other", BudgetNano: accounts.NoLimit, BudgetTok: accounts.NoLimit}
	for _, s := range all[MaxKeys:] {
		rest.SpentNano += s.SpentNano
		rest.SpentTok += s.SpentTok
		rest.CommittedNano += s.CommittedNano
		rest.CommittedTok += s.CommittedTok
		rest.Admitted += s.Admitted
		rest.Refused += s.Refused
	}
	return append(all[:MaxKeys:MaxKeys], rest)
}
