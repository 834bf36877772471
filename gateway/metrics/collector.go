package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/tollgate-lab/tollgate/gateway/admission/accounts"
	"github.com/tollgate-lab/tollgate/gateway/ledger"
)

// collector reads the source at each scrape.
type collector struct{ Source }

// family is one metric: its name, its words, its labels.
func family(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("tollgate_"+name, help, labels, nil)
}

var (
	descRequests  = family("requests_total", "Requests on model surfaces by how they ended.", "outcome")
	descErrors    = family("errors_total", "Answers that the gateway made itself, by reason.", "reason")
	descAttempts  = family("upstream_attempts_total", "Requests sent to an upstream.")
	descTokens    = family("tokens_total", "Tokens billed.", "kind")
	descAborted   = family("aborted_output_tokens_total", "Output tokens billed to clients that left; part of tollgate_tokens_total.")
	descEstimated = family("estimated_requests_total", "Requests billed by estimate, because no usage came.")
	descSpend     = family("spend_dollars_total", "Dollars billed.")
	descRows      = family("log_rows_total", "Rows of the request log by what became of them.", "state")
	descInFlight  = family("requests_in_flight", "Requests begun and not ended.")
	descOpen      = family("open_reservations", "Budget reservations held now.")
	descLost      = family("lost_requests_total", "Requests that were in flight when their worker died.")
	descForfeited = family("forfeited_dollars_total", "Dollars that dead workers had reserved, left charged.")
	descWorkers   = family("workers", "Serving processes that the config asks for.")
	descConns     = family("client_connections", "Client connections open now, in the process that was asked.")
	descUpstream  = family("upstream_connections", "Upstream connections open now, in the process that was asked.")
	descKeySpend  = family("key_spend_dollars_total", "Dollars spent by key since its account was made.", "key")
	descKeyTokens = family("key_tokens_total", "Tokens spent by key since its account was made.", "key")
	descKeyCommit = family("key_committed_dollars", "Dollars spent or reserved by key in its budget's period.", "key")
	descKeyBudget = family("key_budget_dollars", "Budget of the key per period; absent: none.", "key", "period")
	descKeyCalls  = family("key_requests_total", "Requests by key and whether admission let them through.", "key", "admitted")
)

// Describe implements prometheus.Collector. What it sends differs with the keys,
// so it describes nothing: an unchecked collector.
func (collector) Describe(chan<- *prometheus.Desc) {}

// nano is 1e-9: dollars of a nano-dollar.
const nano = 1e-9

// Collect implements prometheus.Collector.
func (c collector) Collect(out chan<- prometheus.Metric) {
	sum := func(counter ledger.Counter) (n float64) {
		for _, s := range c.Slots {
			n += float64(s.Load(counter))
		}
		return n
	}
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	for label, n := range map[string]ledger.Counter{
		"answered": ledger.Answered, "rejected": ledger.Rejected, "upstream_error": ledger.UpstreamErrors,
		"gateway_error": ledger.GatewayErrors, "client_left": ledger.ClientLeft,
	} {
		counter(descRequests, sum(n), label)
	}
	for reason, n := range ledger.Reasons(c.Slots) {
		counter(descErrors, float64(n), reason)
	}
	counter(descAttempts, sum(ledger.UpstreamAttempts))
	counter(descTokens, sum(ledger.BilledPrompt), "prompt")
	counter(descTokens, sum(ledger.BilledOutput), "output")
	counter(descAborted, sum(ledger.BilledAbortedOutput))
	counter(descEstimated, sum(ledger.Estimated))
	counter(descSpend, sum(ledger.SpendNano)*nano)
	for label, n := range map[string]ledger.Counter{
		"appended": ledger.RowsAppended, "stored": ledger.RowsStored, "dropped": ledger.RowsDropped,
		"failed": ledger.RowsFailed, "unreported": ledger.RowsUnreported,
	} {
		counter(descRows, sum(n), label)
	}
	gauge(descInFlight, sum(ledger.InFlight))
	gauge(descOpen, sum(ledger.OpenReservations))
	counter(descLost, sum(ledger.Lost))
	counter(descForfeited, sum(ledger.ForfeitedNano)*nano)
	gauge(descWorkers, float64(len(c.Slots)))
	if c.Engine != nil {
		s := c.Engine()
		gauge(descConns, float64(s.ClientConns))
		gauge(descUpstream, float64(s.UpstreamConns))
	}
	if c.Accounts != nil {
		for _, s := range topKeys(c.Accounts()) {
			counter(descKeySpend, float64(s.SpentNano)*nano, s.Key)
			counter(descKeyTokens, float64(s.SpentTok), s.Key)
			gauge(descKeyCommit, float64(s.CommittedNano)*nano, s.Key)
			counter(descKeyCalls, float64(s.Admitted), s.Key, "true")
			counter(descKeyCalls, float64(s.Refused), s.Key, "false")
			if s.BudgetNano != accounts.NoLimit {
				gauge(descKeyBudget, float64(s.BudgetNano)*nano, s.Key, s.Period)
			}
		}
	}
	c.build(gauge)
}

func (c collector) build(gauge func(*prometheus.Desc, float64, ...string)) {
	var names, values []string
	for name := range c.Build {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		values = append(values, c.Build[name])
	}
	gauge(family("build_info", "What runs; always 1.", names...), 1, values...)
}
