package exchange

import (
	"github.com/tollgate-lab/tollgate/gateway/dialect"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// ActionKind names what the engine has to do.
type ActionKind uint8

const (
	// ActRespond begins the response: Status, Fields (already complete but for
	// the engine's own framing and connection fields: Content-Length,
	// Transfer-Encoding, Connection, Date, Keep-Alive) and ContentLength (-1: the
	// engine frames it as chunks, or closes for HTTP/1.0).
	ActRespond ActionKind = iota + 1
	// ActWrite writes Data to the client's body. Actions of one Step that
	// write leave in one system call where the engine can.
	ActWrite
	// ActFinish ends the response. The exchange is done with the client; the
	// engine may reuse the connection.
	ActFinish
	// ActAbort ends the connection without ending the response: the client
	// must see that the answer is not whole.
	ActAbort
	// ActReadBody asks the engine to read the request's body (it answers
	// "Expect: 100-continue" then). Without it, after the head, the body is
	// drained or the connection closed.
	ActReadBody
	// ActOpenUpstream opens attempt Attempt: connects to Endpoint (or reuses a
	// connection) and sends Upstream's head and body.
	ActOpenUpstream
	// ActCancelUpstream gives up the attempt: its connection is closed unless
	// the response was read whole.
	ActCancelUpstream
	// ActSetTimer asks for EvTimer at Deadline (same clock as Step's now); a
	// later ActSetTimer replaces it, Deadline 0 clears it.
	ActSetTimer
	// ActAppendRow hands Row to the log store. With Await the engine answers
	// EvStored; without, the append never blocks.
	ActAppendRow
	// ActDone says that the exchange has settled everything and may be
	// released. It is the last action of every exchange, and comes after
	// ActFinish or ActAbort or an EvCancelled.
	ActDone
)

// Upstream is a request to a provider. Its slices belong to the exchange and
// stay valid until the attempt ends.
type Upstream struct {
	Endpoint int     // index into Core.Endpoints
	Method   string  // "POST", "GET"
	Path     []byte  // origin form, the provider's base path included
	Fields   []Field // all but Host, Content-Length, Transfer-Encoding, Connection: the engine's
	Body     []byte  // nil: no body
	// Splices are edits that the body on the wire has and Body has not: a model
	// alias or an added field, put in without copying the rest. They are in
	// rising order and do not overlap.
	Splices []Splice
	// HeadTimeoutNs bounds the wait from the end of sending to a whole
	// response head, BodyTimeoutNs the wait between two reads of the body;
	// ConnTimeoutNs the wait for a connection. 0: no limit.
	ConnTimeoutNs, HeadTimeoutNs, BodyTimeoutNs int64
}

// Splice replaces Cut bytes at At of a body by Put.
type Splice = dialect.Splice

// Len is the number of body bytes on the wire.
func (u *Upstream) Len() int { return dialect.Len(len(u.Body), u.Splices) }

// AppendBody appends the body as it is on the wire to dst.
func (u *Upstream) AppendBody(dst []byte) []byte { return dialect.Append(dst, u.Body, u.Splices) }

// Action is one thing for the engine to do. Slices in it are valid until the
// next Step.
type Action struct {
	Kind          ActionKind
	Status        int
	Fields        []Field
	ContentLength int64
	Data          []byte
	Upstream      *Upstream
	Attempt       int
	Deadline      int64
	Row           *logrow.Row
	Await         bool
}

// Actions is the output of one Step, reused from Step to Step.
type Actions struct{ List []Action }

// Reset empties the list and keeps its memory.
func (a *Actions) Reset() { a.List = a.List[:0] }
