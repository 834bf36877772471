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
	// registry is made by the first scrape: a gateway that starts has no time for
	// figures that nobody asked for.
	registry func() (*prometheus.Registry, error)
}

// New is the figures of a source and of this process.
func New(src Source) *Metrics {
	return &Metrics{registry: sync.OnceValues(func() (*prometheus.Registry, error) {
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
	})}
}

// ContentType is that of Text.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Text is all figures in Prometheus' text format.
func (m *Metrics) Text() ([]byte, error) {
	registry, err := m.registry()
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
