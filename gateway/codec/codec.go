// Package codec says what translates a dialect into the canonical form and out
// of it. Upstream faces a provider, Client faces those who call us. They are
// stateless and safe for concurrent use; streams have a state of their own.
package codec

import "github.com/tollgate-lab/tollgate/gateway/canon"

// Target is the part of a request outside its body: dialects differ in what
// they say there.
type Target struct {
	Method string
	Path   string // without the query
	Query  string // without "?"
}

// Client reads requests and writes answers as a client of the dialect expects.
type Client interface {
	// Name is the dialect's: "openai", "responses", "anthropic", "gemini",
	// "cohere", "ollama", "completions".
	Name() string
	// Request reads a request. A fault of the client's is a *canon.Error that
	// names the field.
	Request(t Target, body []byte) (*canon.Request, error)
	// AppendAnswer appends a whole answer.
	AppendAnswer(dst []byte, a *canon.Answer, o Options) []byte
	// AppendError appends the body of an error answer.
	AppendError(dst []byte, e *canon.Error) []byte
	// NewEncoder makes the encoder of a stream.
	NewEncoder() StreamEncoder
}

// Upstream writes requests and reads answers as a provider of the dialect does.
type Upstream interface {
	Name() string
	// AppendRequest appends the body of a request and says where it goes,
	// relative to the provider's base address. What the dialect cannot say is
	// added to lost.
	AppendRequest(dst []byte, r *canon.Request, lost *canon.Losses) (body []byte, path string)
	// Answer reads a whole answer. An error means that it is none.
	Answer(body []byte, out *canon.Events) error
	// Error reads the body of an answer whose status is an error. It never
	// fails: what cannot be read is the message.
	Error(status int, body []byte) *canon.Error
	NewDecoder() StreamDecoder
}

// Options is what an answer says that the provider did not.
type Options struct {
	// ID, Model and Created (Unix seconds) stand in when the provider told
	// none; Model always does when it is set: the name that the client asked
	// for.
	ID, Model string
	Created   int64
	// Usage is whether the client asked for usage in the stream, where that is
	// to be asked for.
	Usage bool
	// Array asks for a JSON array instead of SSE, where the dialect has both.
	Array bool
}

// StreamEncoder renders events. Append may be given events in any order that
// the rules of canon allow, parts that overlap included.
type StreamEncoder interface {
	Reset(o Options)
	// ContentType of the stream.
	ContentType() string
	// Append appends what the event adds to the stream, which may be nothing.
	// After an EvError the stream ends as the dialect ends one that failed;
	// after EvEnd as it ends one that is whole.
	Append(dst []byte, e *canon.Event) []byte
}

// StreamDecoder reads the bytes of a stream, split anywhere.
type StreamDecoder interface {
	Reset()
	// Feed reads b, whole, and appends what it tells to out. The events refer
	// to b and to the decoder's own memory: they are valid until the next
	// call.
	Feed(b []byte, out *canon.Events)
	// End says that the body has ended. Parts that are open are closed, and
	// EvEnd comes last. A body that ended too early ends in EvError before it:
	// a stream never ends in silence.
	End(out *canon.Events)
}
