// Package ledger is the sums of what the gateway did: one slot of counters
// per worker, in shared memory, so that a worker's sums outlive it. The audit
// compares them with the log store and with what others saw.
package ledger

import (
	"sync/atomic"

	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// Counter names one sum of a slot.
type Counter int

const (
	ReadWhole           Counter = iota // requests read whole on a model surface (each gets a log row)
	UpstreamAttempts                   // requests sent to an upstream
	Answered                           // whole answers delivered, from upstream
	Rejected                           // refused by policy
	UpstreamErrors                     // the upstream's own errors, passed on
	GatewayErrors                      // no usable answer
	ClientLeft                         // the client left before the end
	BilledPrompt                       // tokens
	BilledOutput                       // tokens
	BilledAbortedOutput                // tokens of BilledOutput that belong to aborted streams
	Estimated                          // requests billed by estimate
	SpendNano                          // 1e-9 dollars
	RowsAppended                       // rows handed to the log store
	RowsDropped                        // rows dropped by the overflow policy
	RowsStored                         // rows known to be durable
	RowsFailed                         // rows that could not be stored
	OpenReservations                   // held now; 0 when idle
	InFlight                           // exchanges begun and not released; 0 when idle
	Forfeited                          // reservations of dead workers, left charged
	ForfeitedNano                      // 1e-9 dollars of them
	ForfeitedTok                       // tokens of them
	Lost                               // exchanges that were in flight when their worker died
	RowsUnreported                     // rows handed over by a worker that died before it said what became of them
	NumCounters
)

var names = [NumCounters]string{
	"read_whole", "upstream_attempts", "answered", "rejected", "upstream_errors", "gateway_errors", "client_left",
	"billed_prompt_tok", "billed_output_tok", "billed_aborted_output_tok", "estimated", "spend_nano",
	"rows_appended", "rows_dropped", "rows_stored", "rows_failed", "open_reservations", "in_flight",
	"forfeited", "forfeited_nano", "forfeited_tok", "lost", "rows_unreported",
}

func (c Counter) String() string { return names[c] }

// slotWords is counters, then reasons, padded to whole cache lines so that
// workers do not share one.
const slotWords = (int(NumCounters) + len(reasons) + 7) / 8 * 8

// Words is the number of words that slots take in a region.
func Words(slots int) int { return slots * slotWords }

// Slot is the counters of one worker.
type Slot struct{ words *[slotWords]int64Word }

type int64Word = atomic.Int64

// At is slot number slot of the area that begins at word base of r.
func At(r *shm.Region, base, slot int) Slot {
	return Slot{words: slotAt(r, base+slot*slotWords)}
}

// Add adds n to a counter.
func (s Slot) Add(c Counter, n int64) { s.words[c].Add(n) }

// Load reads a counter.
func (s Slot) Load(c Counter) int64 { return s.words[c].Load() }

// Sums is every counter by name, summed over slots: the JSON of the control
// listener.
func Sums(slots []Slot) map[string]int64 {
	m := make(map[string]int64, NumCounters)
	for c := range NumCounters {
		var n int64
		for _, s := range slots {
			n += s.Load(c)
		}
		m[c.String()] = n
	}
	return m
}
