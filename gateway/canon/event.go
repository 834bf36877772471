package canon

// Raw is the inside of a JSON string, still escaped: what stands between its
// quotes.
type Raw = []byte

// Kind is what an event tells.
type Kind uint8

const (
	// EvStart begins an answer, once: Meta.
	EvStart Kind = iota
	// EvOpen begins a part of a candidate: Choice, Part, Type, and ID and Name
	// of a call. Media and Opaque parts carry all they have here.
	EvOpen
	// EvDelta adds to an open part: Text. What it adds to is fixed by the
	// part's type: text, thinking, refusal, arguments of a call (the inside of
	// a JSON string whose content is JSON text), data of an audio part
	// (base64).
	EvDelta
	// EvSign adds Text to the signature of open thinking.
	EvSign
	// EvNote attaches a JSON value to an open part: Note says which, JSON is
	// the value, From its dialect.
	EvNote
	// EvClose ends a part. Each part that was opened is closed once.
	EvClose
	// EvFinish ends a candidate: Choice, Finish. It comes after the candidate's
	// parts were closed.
	EvFinish
	// EvUsage tells usage, of the whole answer. It may come at any time and
	// again; the last one seen wins, per field.
	EvUsage
	// EvError says that the answer ends in an error: Err. EvEnd follows.
	EvError
	// EvEnd ends the answer, once.
	EvEnd
)

var kindNames = [...]string{"start", "open", "delta", "sign", "note", "close", "finish", "usage", "error", "end"}

func (k Kind) String() string { return kindNames[k] }

// NoteKind says what a note is.
type NoteKind uint8

const (
	NoteLogprobs NoteKind = iota // of the text of the event before
	NoteCitation                 // an annotation, citation or grounding
	NoteOther
)

// Event is a step of an answer. Its slices are valid until the decoder that
// made it is fed again, so an encoder renders it before that.
type Event struct {
	Kind   Kind
	Type   PartType
	Choice int32 // of the candidate, from 0
	Part   int32 // of the part in its candidate, from 0 in the order of opening

	Text Raw
	ID   Raw // of a call; may be empty when the provider told none
	Name Raw

	Note NoteKind
	JSON []byte // a JSON value
	From string // the dialect that JSON is in

	Meta   Meta
	Finish Finish
	Usage  Usage
	Err    *Error
	Media  *Media
}

// Meta is what an answer says of itself.
type Meta struct {
	ID      Raw
	Model   Raw
	Created int64 // Unix seconds; 0: not told
	Tier    Raw   // service tier
	Print   Raw   // system fingerprint
}

// Reason is why a candidate ended.
type Reason uint8

const (
	ReasonNone     Reason = iota // not told
	ReasonStop                   // the model was done
	ReasonSequence               // it came to a stop sequence
	ReasonLength                 // it came to the token limit
	ReasonTools                  // it waits for the results of its calls
	ReasonFilter                 // it was stopped for its content
	ReasonRefusal                // the model refused
	ReasonPause                  // a long turn that goes on when it is sent back
	ReasonError
	ReasonOther
)

var reasonNames = [...]string{"none", "stop", "stop_sequence", "length", "tool_calls", "content_filter", "refusal", "pause", "error", "other"}

func (r Reason) String() string { return reasonNames[r] }

// Finish is how a candidate ended.
type Finish struct {
	Reason   Reason
	Sequence Raw // the stop sequence
	// Native is the provider's own word for it.
	Native Raw
}

// Follow is the reason that fits what the candidate holds: one that ends after
// a call of a tool waits for its result, whatever the provider's word was.
// (Some say "stop".)
func (f Finish) Follow(calls int) Reason {
	if calls > 0 && (f.Reason == ReasonStop || f.Reason == ReasonNone || f.Reason == ReasonOther) {
		return ReasonTools
	}
	return f.Reason
}

// Events is a list that is used again: its entries keep no memory of their
// own.
type Events struct{ List []Event }

// Reset empties the list.
func (e *Events) Reset() { e.List = e.List[:0] }

// Add appends an event of a kind and returns it to be filled; it is zero but
// for its kind, and the pointer is good until the next Add.
func (e *Events) Add(k Kind) *Event {
	if n := len(e.List); n < cap(e.List) {
		e.List = e.List[:n+1]
		e.List[n] = Event{Kind: k}
	} else {
		e.List = append(e.List, Event{Kind: k})
	}
	return &e.List[len(e.List)-1]
}
