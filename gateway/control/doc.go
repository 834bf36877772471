// Package control is the operator's listener: JSON over the standard library's
// server, on an address of its own, off unless the config names one. It shows
// what the whole gateway knows (the sums of all workers), and must not be
// reachable by clients: profiles and figures per key are on it.
//
//	GET /ledger         every sum of the ledger by name, over all workers: one flat object of integers
//	GET /ledger/slots   the same for each worker
//	GET /ledger/keys    the keys' accounts
//	GET /ledger/errors  answers that the gateway made itself, by reason
//	GET /workers        the serving processes
//	GET /version        what runs: version, revision, engine, workers, stages, log store
//	GET /healthz        the gateway runs
//	GET /readyz         it serves: 503 and why while it does not
//	GET /metrics        Prometheus
//	GET /debug/pprof/   profiles of this process
package control
