// Package logrow is one row of the request log and the interface by which the
// request path hands it over. It imports the standard library only: the hot
// path knows no store.
package logrow

// MaxRequestID is the longest request id that is kept, in bytes; longer ones
// are cut.
const MaxRequestID = 64

// Row is one request, written once, when it has ended. It holds no pointer to
// request-owned memory: strings are interned in the config snapshot.
type Row struct {
	Writer       int32 // worker slot, from 0
	Seq          int64 // per writer incarnation, from 1; (Epoch, Writer, Seq) is unique
	Epoch        int64 // start of the writer's incarnation, Unix ns
	StartedNs    int64 // Unix ns, request head read
	TTFBNs       int64 // to the first body byte from upstream; 0: none came
	TotalNs      int64 // to the end of the exchange
	RequestID    [MaxRequestID]byte
	RequestIDLen uint8
	Surface      string // "chat", "embeddings", "models"
	Key          string // key's name; "" when unauthenticated
	Model        string // as configured; "" when unknown
	Provider     string
	Status       int32
	Outcome      Outcome
	Reason       string // of a rejection or error, one of a closed list; "" else
	Stream       bool
	Estimated    bool // tokens are the gateway's estimate: no usage came
	PromptTok    int64
	OutputTok    int64
	CostNano     int64 // 1e-9 dollars
	BytesIn      int64 // request body
	BytesOut     int64 // response body delivered
}

// ID is the request id.
func (r *Row) ID() []byte { return r.RequestID[:r.RequestIDLen] }

// SetID keeps the first MaxRequestID bytes of id.
func (r *Row) SetID(id []byte) { r.RequestIDLen = uint8(copy(r.RequestID[:], id)) }

// Outcome is how the exchange ended, seen from the gateway.
type Outcome uint8

const (
	Answered Outcome = iota + 1
	Rejected
	UpstreamError // the upstream's own error status, passed on
	GatewayError  // no usable answer from upstream, or a fault of ours
	ClientLeft
)

var names = [...]string{"", "answered", "rejected", "upstream_error", "gateway_error", "client_left"}

func (o Outcome) String() string {
	if int(o) < len(names) {
		return names[o]
	}
	return "unknown"
}

// Completion is told once, from any goroutine, that a row is durable
// (err == nil) or could not be made so.
type Completion interface{ Stored(err error) }

// Appender takes rows from the request path.
type Appender interface {
	// Append copies row. When the store's durability promises the row before
	// the response ends (sync, group) it returns true and calls done.Stored
	// exactly once later. Else (async, memory, off) it never blocks and never
	// calls done: a row that finds the queue full is dropped and counted, or
	// Append blocks, as the overflow policy says.
	Append(row *Row, done Completion) (await bool)
	// Awaits reports whether Append returns true: it is constant.
	Awaits() bool
}
