package exchange

// Snapshot is the part of the config that the request path reads: immutable,
// replaced whole.
type Snapshot struct {
	Providers []Provider
	Models    []Model
	// ByName maps the name that clients ask for to an index into Models.
	ByName map[string]int
	// AnyModel is the index of the model named "*", which takes every other
	// name and sends it on unchanged; -1: unknown models are refused with 404.
	AnyModel int
	Stages   Stages
	Limits   Limits
	Created  int64 // Unix seconds, for the models list
}

// Provider is one upstream and how it is spoken to.
type Provider struct {
	Endpoint Endpoint
	BasePath string  // "/v1": put before "/chat/completions"
	Auth     []Field // complete authentication fields, e.g. Authorization
	// Time limits in nanoseconds, 0: none.
	ConnTimeoutNs, HeadTimeoutNs, BodyTimeoutNs int64
}

// Model is one name that clients may ask for.
type Model struct {
	Name     string
	Upstream string // name sent on; "": the client's own
	Provider int    // index into Providers
	PriceIn  int64  // nano-dollars per million prompt tokens
	PriceOut int64  // nano-dollars per million output tokens
	// MaxOutputTok bounds a request's reservation when it states no limit.
	MaxOutputTok int64
}

// Stages switches the parts of the path, so that the lab can price each.
type Stages struct {
	Auth      bool
	Admission bool // needs Auth
	Ledger    bool
	Log       bool
}

// Limits bounds what a client may send. Each is enforced by the engine or the
// exchange and answered with the stated status.
type Limits struct {
	MaxHeadBytes  int   // request line and fields: 431
	MaxHeadFields int   // 431
	MaxBodyBytes  int64 // 413
	// Times in nanoseconds, 0: none.
	IdleTimeoutNs    int64 // between requests of one connection
	HeadTimeoutNs    int64 // first byte to whole head: 408
	BodyTimeoutNs    int64 // head to whole body: 408
	WriteTimeoutNs   int64 // a write that makes no progress: the client counts as gone
	MaxUpstreamHead  int   // bytes: 502
	MaxResponseBytes int64 // buffered only where an answer must be rewritten whole
	MaxConns         int   // client connections of one process, 0: no limit
}
