package loadgen

import (
	"time"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// Job is everything one run of the generator needs. As JSON it is the
// standard input of the loadgen program; durations are in nanoseconds there.
type Job struct {
	Target string `json:"target"` // base URL, "http://127.0.0.1:8080"; the path comes from Path
	Path   string `json:"path"`   // "/v1/chat/completions"
	Method string `json:"method"` // "POST" when empty and there is a body, else "GET"
	Key    string `json:"key"`    // bearer token; none when empty
	// Headers are sent with every request, after the generator's own.
	Headers map[string]string `json:"headers,omitempty"`
	// Body is sent when StreamEvery does not ask for a stream, StreamBody
	// when it does. An empty StreamBody is made from Body by adding
	// "stream":true (and "stream_options" when AskUsage is set).
	Body       []byte        `json:"body"`
	StreamBody []byte        `json:"stream_body,omitempty"`
	AskUsage   bool          `json:"ask_usage,omitempty"`
	Join       contract.Join `json:"join"`  // how the request id travels; by header when empty
	Nonce      uint32        `json:"nonce"` // makes ids of this run unique (contract.MakeID)

	Client      string        `json:"client"`       // "lean" (default) or "vegeta"
	Conc        int           `json:"conc"`         // connections; open loop: the most in flight
	Requests    int           `json:"requests"`     // measured; 0: until Duration
	Warmup      int           `json:"warmup"`       // sent first, counted apart
	Duration    time.Duration `json:"duration"`     // measured time limit; 0: until Requests
	StreamEvery int           `json:"stream_every"` // 0 never, 1 always, N every Nth
	RatePerS    float64       `json:"rate_per_s"`   // > 0: open loop
	Arrivals    string        `json:"arrivals"`     // open loop: "constant" (default), "poisson"
	Seed        uint64        `json:"seed"`         // of the schedule
	Timeout     time.Duration `json:"timeout"`      // per request, default 30 s

	// Idle is how many connections are opened before the first request and
	// held without one until the run ends, beside Conc.
	Idle int `json:"idle,omitempty"`
	// ChurnEvery closes a connection after that many requests, so that the
	// next one pays for a new one. 0: never.
	ChurnEvery int `json:"churn_every,omitempty"`
	// AbortShare is the share of streamed requests that the client leaves in
	// the middle, 0 to 1, chosen by Seed and place; their outcome is
	// ClientAborted. AbortAfter is the content frames it takes first, ≥ 1; 0:
	// one.
	AbortShare float64 `json:"abort_share,omitempty"`
	AbortAfter int     `json:"abort_after,omitempty"`
	// ReadBytesPerS bounds how fast each connection reads its answers, in
	// bytes per second, with a receive buffer as small as the system allows.
	// 0: as fast as it can.
	ReadBytesPerS int `json:"read_bytes_per_s,omitempty"`

	// ExpectContent, when not empty, is the assistant text that every answered
	// request must carry (the concatenated deltas of a stream); anything else
	// is a content mismatch.
	ExpectContent string `json:"expect_content,omitempty"`
	// KeepRecords keeps a contract.ClientRecord per measured request.
	KeepRecords bool `json:"keep_records,omitempty"`
}

// Latency names a histogram of a Result. All are in nanoseconds and hold
// answered requests only, but for ErrorTime.
type Latency string

const (
	ServiceTime   Latency = "service"  // sent → last byte
	ResponseTime  Latency = "response" // intended → last byte (open loop)
	SendLag       Latency = "send_lag" // intended → sent (open loop)
	FirstByte     Latency = "first_byte"
	TTFT          Latency = "ttft" // sent → first content frame
	ITL           Latency = "itl"  // gap between content frames that arrived in different reads
	TPOT          Latency = "tpot"
	ServicePlain  Latency = "service_plain"  // service time of the requests that were not streamed
	ServiceStream Latency = "service_stream" // and of those that were
	ErrorTime     Latency = "error"          // service time of requests that failed or were rejected
)

// Result is what one run measured. As JSON it is the standard output of the
// loadgen program.
type Result struct {
	Started         int64            `json:"started_ns"`  // first measured request sent, CLOCK_MONOTONIC
	Finished        int64            `json:"finished_ns"` // last measured answer ended
	Scheduled       int64            `json:"scheduled"`   // = the sum over Outcomes
	Outcomes        map[string]int64 `json:"outcomes"`
	WarmupOutcomes  map[string]int64 `json:"warmup_outcomes"`
	ByStatus        map[string]int64 `json:"by_status"`
	BytesIn         int64            `json:"bytes_in"`         // body bytes of answers
	BytesOut        int64            `json:"bytes_out"`        // body bytes of requests
	ContentFrames   int64            `json:"content_frames"`   // content frames received, all outcomes
	CoalescedFrames int64            `json:"coalesced_frames"` // of them, those that arrived in the same read as the one before
	Connects        int64            `json:"connects"`         // connections opened, warm-up included
	// Histograms are HdrHistogram V2 compressed, base64, by Latency name.
	Histograms  map[Latency]string `json:"histograms"`
	CPUNs       int64              `json:"cpu_ns"`           // the generator's process CPU time over the measured part
	Errors      []string           `json:"errors,omitempty"` // the first few failures, in words
	Warnings    []string           `json:"warnings,omitempty"`
	Interrupted bool               `json:"interrupted,omitempty"` // ended early by the context

	Records []contract.ClientRecord `json:"-"` // when Job.KeepRecords; the program writes them to --records
}
