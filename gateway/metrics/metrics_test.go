package metrics

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/engine"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// series is what Prometheus would see: by "name{value,value}", the labels' values
// in order of their names.
type series map[string]float64

// scrape renders and parses.
func scrape(t *testing.T, src Source) series {
	t.Helper()
	text, err := New(src).Text()
	if err != nil {
		t.Fatal(err)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	found := make(series)
	for name, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetValue())
			}
			found[id(strings.TrimPrefix(name, "tollgate_"), labels...)] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return found
}

func id(name string, labels ...string) string { return name + "{" + strings.Join(labels, ",") + "}" }

func (s series) value(t *testing.T, name string, labels ...string) float64 {
	t.Helper()
	v, ok := s[id(name, labels...)]
	if !ok {
		t.Errorf("no series %s", id(name, labels...))
	}
	return v
}

// count is the number of series of a metric.
func (s series) count(name string) (n int) {
	for id := range s {
		if strings.HasPrefix(id, name+"{") {
			n++
		}
	}
	return n
}

func TestAScrapeAddsTheWorkersUp(t *testing.T) {
	r := shm.NewHeap(ledger.Words(3))
	var slots []ledger.Slot
	for i := range 3 {
		s := ledger.At(r, 0, i)
		s.Add(ledger.Answered, 10)
		s.Add(ledger.Rejected, int64(i))
		s.Add(ledger.BilledPrompt, 100)
		s.Add(ledger.SpendNano, 500_000_000)
		s.Add(ledger.RowsDropped, 1)
		s.Add(ledger.InFlight, 2)
		s.AddReason("invalid_api_key")
		slots = append(slots, s)
	}
	found := scrape(t, Source{
		Slots: slots, Engine: func() engine.Stats { return engine.Stats{ClientConns: 7, UpstreamConns: 5} },
		Build: map[string]string{"version": "v1", "engine": "conn"},
	})
	for _, tc := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"requests_total", []string{"answered"}, 30},
		{"requests_total", []string{"rejected"}, 3},
		{"requests_total", []string{"client_left"}, 0},
		{"errors_total", []string{"invalid_api_key"}, 3},
		{"tokens_total", []string{"prompt"}, 300},
		{"spend_dollars_total", nil, 1.5},
		{"log_rows_total", []string{"dropped"}, 3},
		{"requests_in_flight", nil, 6},
		{"workers", nil, 3},
		{"client_connections", nil, 7},
		{"build_info", []string{"conn", "v1"}, 1},
	} {
		if got := found.value(t, tc.name, tc.labels...); got != tc.want {
			t.Errorf("%s%q is %v, want %v", tc.name, tc.labels, got, tc.want)
		}
	}
	for _, name := range []string{"go_goroutines", "process_cpu_seconds_total"} {
		if found.count(name) == 0 {
			t.Errorf("%s is missing", name)
		}
	}
	if found.count("key_spend_dollars_total") != 0 {
		t.Error("keys without accounts")
	}
}

func TestKeysHaveSeriesOfTheirOwnUpToABound(t *testing.T) {
	var keys []accounts.Key
	for i := range MaxKeys + 50 {
		keys = append(keys, accounts.Key{
			Name: fmt.Sprintf("key \"%d\"\n", i), Digest: sha256.Sum256(fmt.Append(nil, "secret-token-", i)),
			BudgetNano: accounts.NoLimit, BudgetTok: accounts.NoLimit,
		})
	}
	keys[7].BudgetNano = 3_000_000_000
	r := shm.NewHeap(accounts.Words(len(keys)))
	if err := accounts.Claim(r, keys, 1); err != nil {
		t.Fatal(err)
	}
	book, err := accounts.NewBook(r, keys, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		var res admission.Reservation
		book.Reserve(1, admission.KeyRef(i), &admission.Estimate{}, &res)
		cost := int64(1_000_000_000)
		if i == 7 {
			cost *= 2
		}
		book.Settle(1, &res, admission.Usage{PromptTok: 5}, cost)
	}
	found := scrape(t, Source{Accounts: func() []accounts.Sums { return book.Sums(1) }})
	if n := found.count("key_spend_dollars_total"); n != MaxKeys+1 {
		t.Errorf("%d series, want %d", n, MaxKeys+1)
	}
	for _, tc := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"key_spend_dollars_total", []string{"key \"7\"\n"}, 2},
		{"key_budget_dollars", []string{"key \"7\"\n", "total"}, 3},
		{"key_requests_total", []string{"true", "key \"0\"\n"}, 1},
		{"key_spend_dollars_total", []string{"_other"}, 50},
		{"key_tokens_total", []string{"_other"}, 250},
	} {
		if got := found.value(t, tc.name, tc.labels...); got != tc.want {
			t.Errorf("%s%q is %v, want %v", tc.name, tc.labels, got, tc.want)
		}
	}
}
