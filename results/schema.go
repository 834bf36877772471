package results

import (
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// Version is the schema version that Writer writes and Read accepts. It rises
// with every change that an older reader would misread.
const Version = 1

// FileName is the name of the data file in a run's folder.
const FileName = "run.jsonl"

// Record is one line of a run: exactly one field is set.
type Record struct {
	Header     *Header     `json:"header,omitempty"`
	Repetition *Repetition `json:"repetition,omitempty"`
	Section    *Section    `json:"section,omitempty"`
	Final      *Final      `json:"final,omitempty"`
}

// Header says what ran, where and from which sources. It is the first record.
type Header struct {
	Version     int         `json:"version"` // schema version; the writer fills it in
	Name        string      `json:"name"`    // the run folder's name, <utc>-<host>-<commit>
	Started     time.Time   `json:"started"` // UTC
	Sitting     Sitting     `json:"sitting"`
	Fingerprint Fingerprint `json:"fingerprint"` // the machine and its software
	Sources     Sources     `json:"sources"`     // commits and hashes of what ran
	Spec        Spec        `json:"spec"`
	// Proxies is the versions of the proxies measured beside the gateway, by
	// target.
	Proxies   map[string]string `json:"proxies,omitempty"`
	Seed      uint64            `json:"seed"`      // of the order of cells within blocks
	Reproduce string            `json:"reproduce"` // the command that repeats this run
	// SectionReproduce overrides Reproduce for single sections.
	SectionReproduce map[string]string `json:"section_reproduce,omitempty"`
}

// Sitting identifies runs whose times may be compared: one host between two
// boots, one harness, one start.
type Sitting struct {
	ID          string    `json:"id"`           // hash of the three below
	BootHash    string    `json:"boot_hash"`    // of the host's boot id; the id itself is not published
	HarnessHash string    `json:"harness_hash"` // as in Sources
	Started     time.Time `json:"started"`      // UTC
}

// Sources are read from the binaries that ran, never from the checkout.
type Sources struct {
	Version       string `json:"version"`        // tollgate's version
	GatewayCommit string `json:"gateway_commit"` // VCS revision stamped into the gateway
	GatewayDirty  bool   `json:"gateway_dirty"`  // it was built from a changed checkout
	HarnessHash   string `json:"harness_hash"`   // over the sources that build generator and runner
	MockHash      string `json:"mock_hash"`      // over the sources that build the mock
}

// Spec is the plan's source, kept whole, so that a run explains itself.
type Spec struct {
	Name string `json:"name"` // "quick", "default", …
	Hash string `json:"hash"` // SHA-256 of Text, lower-case hexadecimal
	Text string `json:"text"` // the YAML
}

// Repetition is one fresh run of one cell.
type Repetition struct {
	Cell    contract.Cell `json:"cell"`
	Block   int           `json:"block"`   // from 0
	Rep     int           `json:"rep"`     // repetition of the cell, from 0
	Order   int           `json:"order"`   // place in the block's random order, from 0
	Attempt int           `json:"attempt"` // 0; 1 and 2: run again because the one before was noisy

	Started    time.Time `json:"started"`     // UTC
	Finished   time.Time `json:"finished"`    // UTC
	MeasuredNs int64     `json:"measured_ns"` // first measured request sent → last measured answer ended

	Scheduled       int64            `json:"scheduled"`                 // = the sum over Outcomes
	Outcomes        map[string]int64 `json:"outcomes,omitempty"`        // contract.Outcome names; zero ones absent
	WarmupOutcomes  map[string]int64 `json:"warmup_outcomes,omitempty"` // of the discarded requests
	ByStatus        map[string]int64 `json:"by_status,omitempty"`       // HTTP status → requests
	BytesIn         int64            `json:"bytes_in,omitempty"`        // body bytes of answers
	BytesOut        int64            `json:"bytes_out,omitempty"`       // body bytes of requests
	ContentFrames   int64            `json:"content_frames,omitempty"`  // content frames received
	CoalescedFrames int64            `json:"coalesced_frames,omitempty"`
	Connects        int64            `json:"connects,omitempty"` // connections opened, warm-up included

	RequestsPerS float64 `json:"requests_per_s"` // answered ÷ MeasuredNs

	// Histograms by name: the generator's and the joined tolls, below. They hold
	// answered requests only, but for ErrorTime.
	Histograms map[string]Histogram `json:"histograms,omitempty"`

	Resources Resources `json:"resources"`
	// CoresBusy is the CPU time of all pieces ÷ MeasuredNs.
	CoresBusy float64   `json:"cores_busy"`
	Noise     HostNoise `json:"noise"`

	Truth  *contract.GroundTruth `json:"truth,omitempty"`  // the mock's, over warm-up and measured part
	Ledger *LedgerSums           `json:"ledger,omitempty"` // the gateway's; absent in floor cells
	Log    *LogRows              `json:"log,omitempty"`    // absent when the log store is off
	Audit  *Audit                `json:"audit,omitempty"`  // absent only when skipped

	Marks    []string `json:"marks,omitempty"` // the Mark constants
	Warnings []string `json:"warnings,omitempty"`
	Errors   []string `json:"errors,omitempty"`  // the first few failures, in words
	Skipped  *Skipped `json:"skipped,omitempty"` // the cell did not run; nothing else is measured
}

// Mark is a reason to read a repetition with care.
const (
	MarkNoisy          = "noisy"           // the host's canary was off
	MarkGeneratorBound = "generator-bound" // throughput within 15 % of the generator's ceiling
	MarkMockBound      = "mock-bound"      // throughput within 15 % of the mock's ceiling
	MarkRetry          = "retry"           // run again, because an attempt before was noisy
)

// Skipped says why a cell could not run here.
type Skipped struct {
	Reason  string `json:"reason"`            // "no PostgreSQL server program"
	Install string `json:"install,omitempty"` // what to install for it, "apt-get install postgresql"
}

// Final is the last record.
type Final struct {
	Finished time.Time `json:"finished"` // UTC
	Status   string    `json:"status"`   // Complete or Interrupted
	Warnings []string  `json:"warnings,omitempty"`
}

// How a run ended. A run without a final record was cut off.
const (
	Complete    = "complete"
	Interrupted = "interrupted"
)
