package results

import (
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// Resources is what each piece used. A piece that did not run, or shares a
// process with others, is nil.
type Resources struct {
	Gateway   *Usage `json:"gateway,omitempty"` // the process tree, supervisor included
	Generator *Usage `json:"generator,omitempty"`
	Mock      *Usage `json:"mock,omitempty"`
	Postgres  *Usage `json:"postgres,omitempty"` // the server's process tree
	// Process is generator, gateway and mock together, when one process holds
	// all three (shape inprocess): the split is unknown then.
	Process *Usage `json:"process,omitempty"`
}

// Usage is one piece's use of the host.
type Usage struct {
	CPUNs               int64 `json:"cpu_ns"`         // over the measured part, children included
	PeakRSSBytes        int64 `json:"peak_rss_bytes"` // the sum over the processes of the tree of each one's own peak
	VoluntarySwitches   int64 `json:"voluntary_switches"`
	InvoluntarySwitches int64 `json:"involuntary_switches"`
	Processes           int   `json:"processes"` // counted in the process tree
}

// HostNoise is how much others disturbed a repetition.
type HostNoise struct {
	StealNs         int64   `json:"steal_ns"`          // CPU time taken by the hypervisor, all cores
	CanaryNs        int64   `json:"canary_ns"`         // one ping-pong of the canary, median of the two readings around the cell
	CanaryRatio     float64 `json:"canary_ratio"`      // CanaryNs ÷ the run's median
	PSICPUSomeNs    int64   `json:"psi_cpu_some_ns"`   // pressure stall: some task waited for a core
	PSIMemorySomeNs int64   `json:"psi_mem_some_ns"`   // … for memory
	PSIIOSomeNs     int64   `json:"psi_io_some_ns"`    // … for I/O
	LoadAverage     float64 `json:"load_average_1min"` // before the cell
}

// LedgerSums are the gateway's own sums over warm-up and measured part, by
// the names of its control listener.
type LedgerSums map[string]int64

// LogRows is what the log store holds of a repetition.
type LogRows struct {
	Rows       int64 `json:"rows"`         // rows found
	Dropped    int64 `json:"dropped"`      // by the overflow policy, counted by the gateway
	LostToKill int64 `json:"lost_to_kill"` // in flight when a planned kill struck
}

// Audit is the list of sums that had to close.
type Audit struct {
	Checks []Check `json:"checks"`
}

// Check is one sum of the audit.
type Check struct {
	Name   string `json:"name"` // "scheduled = sum over outcomes"
	OK     bool   `json:"ok"`
	Want   int64  `json:"want"`
	Got    int64  `json:"got"`
	Detail string `json:"detail,omitempty"` // names the requests, or says why a difference is allowed
}

// OK reports whether every check holds. An absent or empty audit proves
// nothing and is not OK.
func (a *Audit) OK() bool {
	return a != nil && len(a.Checks) > 0 && len(a.Failed()) == 0
}

// Failed lists the checks that do not hold.
func (a *Audit) Failed() []Check {
	var out []Check
	if a == nil {
		return nil
	}
	for _, c := range a.Checks {
		if !c.OK {
			out = append(out, c)
		}
	}
	return out
}

// Section is one measurement without load. Exactly one of Boot, Direct,
// Waterfall and Skipped is set.
type Section struct {
	Cell     contract.Cell `json:"cell"`
	Block    int           `json:"block"`
	Rep      int           `json:"rep"`
	Order    int           `json:"order"`
	Started  time.Time     `json:"started"`
	Finished time.Time     `json:"finished"`

	Boot      *Boot      `json:"boot,omitempty"`
	Direct    *Direct    `json:"direct,omitempty"`
	Waterfall *Waterfall `json:"waterfall,omitempty"`
	Skipped   *Skipped   `json:"skipped,omitempty"`

	Warnings []string `json:"warnings,omitempty"`
}

// Boot is one start of the gateway.
type Boot struct {
	HealthzNs int64 `json:"healthz_ns"` // process start → first 200 from /healthz
	Processes int   `json:"processes"`  // counted in the process tree once healthy
}

// Direct is a series of calls of the exchange with no socket: one at a time,
// or by as many callers as the cell has workers, each calling one at a time.
type Direct struct {
	Calls        int64     `json:"calls"`             // measured
	CallNs       Histogram `json:"call"`              // per call, ns
	WallNs       int64     `json:"wall_ns,omitempty"` // first call begun → last call ended; absent in older runs
	CPUNs        int64     `json:"cpu_ns"`            // process CPU time over the measured calls
	AllocsPerOp  float64   `json:"allocs_per_op"`
	BytesPerOp   float64   `json:"alloc_bytes_per_op"` // bytes allocated per call
	Failures     int64     `json:"failures"`
	FirstFailure string    `json:"first_failure,omitempty"`
}
