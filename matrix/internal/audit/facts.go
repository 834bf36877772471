package audit

import (
	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Facts is everything that the checks look at. Counts cover warm-up and
// measured part together unless a field says otherwise.
type Facts struct {
	Cell contract.Cell

	Scheduled int64           // measured part, as the generator was told
	Measured  contract.Counts // outcomes of the measured part
	Warmup    contract.Counts // and of the warm-up

	// Records are the generator's, measured part only. Nil when none were kept.
	Records []contract.ClientRecord
	Stamps  []contract.MockStamp // the mock's
	Join    contract.Join

	Truth contract.GroundTruth
	// Ledger is the gateway's sums. Nil: the cell has no gateway, or its
	// profile keeps no ledger.
	Ledger results.LedgerSums
	// Gauges says that the gateway's in-flight and reservation counts were read
	// after the drain; they stand in Ledger's names even where it keeps no sums.
	Gauges results.LedgerSums

	Log *Log // nil: the log is off

	BudgetNano int64 // the key's dollar budget, 1e-9 dollars; 0: none was set

	Kill *Kill // a planned fault; nil: none
}

// Log is what the log store holds of the cell.
type Log struct {
	Rows     int64
	CostNano int64            // sum over rows
	ByID     map[uint64][]Row // rows with a lab id
	Foreign  int64            // rows without one
}

// Row is the part of a log row that is compared.
type Row struct {
	Answered  bool
	PromptTok int64
	OutputTok int64
	Estimated bool
}

// Kill is what happened to a worker on purpose.
type Kill struct {
	At              int64 // CLOCK_MONOTONIC ns
	WantProcesses   int   // in the tree when all is well
	ProcessesAfter  int   // found at the end
	ReplacementSeen bool  // a new pid took the dead one's place
}

func (f *Facts) all() contract.Counts {
	c := f.Measured
	c.Add(f.Warmup)
	return c
}

// sent is the requests of the generator that were put on a connection.
func (f *Facts) sent() int64 {
	c := f.all()
	return c.Total() - c[contract.Unsent] - c[contract.Refused]
}

// floor reports whether the load went straight to the mock.
func (f *Facts) floor() bool { return f.Cell.Target == "floor" }

// slack is how far counts may differ because of a planned kill: the requests
// that could be in flight, one per connection.
func (f *Facts) slack() int64 {
	if f.Kill == nil {
		return 0
	}
	return int64(f.Cell.Conc)
}
