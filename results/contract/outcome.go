package contract

// Outcome is how one request ended, seen from the client. The list is closed:
// scheduled requests = the sum over outcomes.
type Outcome uint8

const (
	Answered        Outcome = iota // whole, well-formed 2xx answer with the expected content
	Rejected                       // refused by policy: 400, 401, 403, 413, 429
	UpstreamError                  // the upstream's own error, passed on
	GatewayError                   // 5xx made by the gateway
	Refused                        // connection refused
	Reset                          // connection reset or closed before any byte of the answer
	Timeout                        // no end within the client's limit
	ShortBody                      // ended before the announced or terminated end
	BadStream                      // framing or SSE that does not parse, or no terminator
	ContentMismatch                // whole, but not what the mock sends
	ClientAborted                  // the client left on purpose
	Unsent                         // scheduled but never sent
	outcomes
)

// NumOutcomes is the number of outcomes.
const NumOutcomes = int(outcomes)

var outcomeNames = [outcomes]string{
	"answered", "rejected", "upstream_error", "gateway_error", "refused", "reset",
	"timeout", "short_body", "bad_stream", "content_mismatch", "client_aborted", "unsent",
}

func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return "unknown"
}

// Failed reports whether the outcome counts as a failed request. A policy's
// clean refusal and a planned abort do not: they have columns of their own.
func (o Outcome) Failed() bool {
	return o != Answered && o != Rejected && o != ClientAborted
}

// Counts holds one counter per outcome, indexed by Outcome.
type Counts [NumOutcomes]int64

// Total is the sum over all outcomes.
func (c *Counts) Total() (n int64) {
	for _, v := range c {
		n += v
	}
	return n
}

// Failures is the sum over the outcomes for which Failed holds.
func (c *Counts) Failures() (n int64) {
	for o, v := range c {
		if Outcome(o).Failed() {
			n += v
		}
	}
	return n
}

// Add adds d to c.
func (c *Counts) Add(d Counts) {
	for o, v := range d {
		c[o] += v
	}
}

// Map is the counts by name, without the zero ones: the form in files.
func (c *Counts) Map() map[string]int64 {
	m := make(map[string]int64)
	for o, v := range c {
		if v != 0 {
			m[Outcome(o).String()] = v
		}
	}
	return m
}

// ParseOutcome is the inverse of Outcome.String.
func ParseOutcome(s string) (Outcome, bool) {
	for o, name := range outcomeNames {
		if name == s {
			return Outcome(o), true
		}
	}
	return 0, false
}
