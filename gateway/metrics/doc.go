// Package metrics renders the gateway's sums for Prometheus. It keeps no counters
// of its own: at each scrape it reads the ledger slots of all workers and the
// keys' accounts, so that every process of a gateway tells the same figures, and
// so that they survive a worker's death. What belongs to one process (the Go
// runtime, CPU, connections) is that of the process which was asked.
package metrics
