package admission

// Usage is tokens of one request.
type Usage struct{ PromptTok, OutputTok int64 }

// Reason says why a request was refused: it is the error's code in the
// answer, the log row and the metrics label.
type Reason string

const (
	ReasonNone        Reason = ""
	ReasonNoKey       Reason = "missing_api_key"       // 401
	ReasonBadKey      Reason = "invalid_api_key"       // 401
	ReasonDisabled    Reason = "key_disabled"          // 401
	ReasonModel       Reason = "model_not_allowed"     // 403
	ReasonBudget      Reason = "insufficient_quota"    // 429: dollars
	ReasonTokenBudget Reason = "token_quota_spent"     // 429: tokens
	ReasonRPM         Reason = "rate_limit_requests"   // 429
	ReasonTPM         Reason = "rate_limit_tokens"     // 429
	ReasonUnavailable Reason = "admission_unavailable" // 503: fails closed
)

// KeyRef is an authenticated key: an index into the table of its snapshot.
type KeyRef int32

// NoKey is the KeyRef of requests while authentication is off.
const NoKey KeyRef = -1

// Estimate is what a request is expected to cost at most, before it is sent: its
// output is a bound, its prompt an estimate.
type Estimate struct {
	Usage
	PriceIn, PriceOut int64 // nano-dollars per million tokens
}

// Reservation is what Reserve took and Settle gives back or turns into spend.
// The zero value holds nothing.
type Reservation struct {
	Key    KeyRef
	Tokens int64
	Nano   int64
	TPMTok int64
	Period int32 // which budget period was charged
	Held   bool
}

// Verdict is the answer of Reserve.
type Verdict struct {
	Reason       Reason
	RetryAfterNs int64 // > 0: a time after which the request may pass; 0: never by waiting
	Rate         Rate
}

// Rate is what the rate-limit headers tell. A limit of 0 means none is set.
type Rate struct {
	LimitRequests, RemainingRequests int64
	ResetRequestsNs                  int64 // until the request window is full again
	LimitTokens, RemainingTokens     int64
	ResetTokensNs                    int64
}

// Admitter authenticates and keeps budgets. now is Unix time in nanoseconds.
// It is safe for concurrent use, never blocks and never allocates.
type Admitter interface {
	// Authenticate compares the token's SHA-256 in constant time. The token is
	// not kept.
	Authenticate(token []byte) (KeyRef, Reason)
	// KeyName is the key's name in the config, for logs.
	KeyName(KeyRef) string
	// ModelAllowed reports whether the key may use model index m of the snapshot.
	ModelAllowed(k KeyRef, model int) bool
	// Reserve charges the estimate at every level before the request leaves, or
	// charges nothing and says why.
	Reserve(now int64, k KeyRef, e *Estimate, r *Reservation) Verdict
	// Settle replaces the reservation by what was really used. costNano is in
	// nano-dollars.
	Settle(now int64, r *Reservation, used Usage, costNano int64)
	// Release gives the whole reservation back: nothing was used.
	Release(now int64, r *Reservation)
}
