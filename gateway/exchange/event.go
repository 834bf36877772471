package exchange

// Field is one header field as it stood in the message: the name's case is
// kept, the value is trimmed of surrounding white space.
type Field struct{ Name, Value []byte }

// RequestHead is a decoded request head. Its slices are valid until the next
// Step.
type RequestHead struct {
	Method []byte
	Target []byte // origin form, query included: "/v1/chat/completions?x=1"
	Minor  int    // HTTP/1.Minor
	Fields []Field
	// ContentLength is the body's announced length in bytes, 0 for no body,
	// -1 when it is not known in advance (chunked).
	ContentLength int64
	RemoteAddr    string // for logs only
}

// ResponseHead is a decoded upstream response head. Its slices are valid
// until the next Step.
type ResponseHead struct {
	Status int
	Fields []Field
	// ContentLength is -1 when the body ends with the last chunk or with the
	// connection.
	ContentLength int64
}

// EventKind names what happened.
type EventKind uint8

const (
	// EvRequestHead is always the first event. Head is set.
	EvRequestHead EventKind = iota + 1
	// EvRequestBody carries decoded body bytes in Data. When Data was read
	// into the slice that BodySpace returned it is not copied again.
	EvRequestBody
	// EvRequestEnd says that the request was read whole.
	EvRequestEnd
	// EvUpstreamHead answers the ActOpenUpstream of the same Attempt. Response is set.
	EvUpstreamHead
	// EvUpstreamBody carries decoded upstream body bytes in Data. Bytes that
	// arrived in one read come in one event.
	EvUpstreamBody
	// EvUpstreamEnd says that the upstream's body ended as it was announced.
	EvUpstreamEnd
	// EvUpstreamError ends the attempt early: Fault says why.
	EvUpstreamError
	// EvTimer says that the deadline of the last ActSetTimer has passed.
	EvTimer
	// EvCancelled says that the client is gone (or the engine gives up on
	// it): nothing more can be written. Delivered is final.
	EvCancelled
	// EvStored answers an ActAppendRow with Await: Err says whether the row
	// is durable.
	EvStored
	// EvBadRequest says that the engine could not read the request (framing,
	// size, time): Status and Reason are what to answer. It may come as the
	// first event or while the body is read.
	EvBadRequest
)

// UpstreamFault says why an upstream attempt ended early.
type UpstreamFault uint8

const (
	FaultNone         UpstreamFault = iota
	FaultConnect                    // refused, unreachable, TLS failed: no byte was sent
	FaultReset                      // closed or reset before a whole response head
	FaultMidBody                    // closed, reset or malformed inside the body
	FaultMalformed                  // the response head does not parse
	FaultTimeoutConn                // no connection in time
	FaultTimeoutHead                // no response head in time
	FaultTimeoutBody                // body stalled
	FaultOverloaded                 // the engine's own connection limit for this endpoint
	FaultHeadTooLarge               // response head over the limit
)

// Event is the input of one Step. Slices in it are valid until the next Step.
type Event struct {
	Kind     EventKind
	Head     *RequestHead
	Response *ResponseHead
	Data     []byte
	Fault    UpstreamFault
	Attempt  int // which ActOpenUpstream this answers, from 0
	Err      error
	Status   int    // EvBadRequest
	Reason   string // EvBadRequest: one of the Reason… constants of this package or free words
	// Delivered is the number of response body bytes, as the exchange emitted
	// them in ActWrite, that write(2) has accepted for the client so far.
	// Engines set it on every event once the response has begun.
	Delivered int64
}
