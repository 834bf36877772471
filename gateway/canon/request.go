package canon

import "encoding/json"

// Request is one request for a chat completion, in any dialect. Pointers are
// nil, slices and strings empty, when the client did not say.
type Request struct {
	Model  string
	Stream bool

	// System is the instructions that stand apart from the conversation, in
	// order. Dialects without such a place say them as the first messages.
	System   []Part
	Messages []Message

	Tools      []Tool
	ToolChoice ToolChoice
	// Parallel says whether several calls may come in one answer; nil: the
	// provider's default.
	Parallel *bool

	Format *Format // nil: plain text

	MaxTokens        *int64
	Temperature      *float64
	TopP             *float64
	TopK             *int64
	Stop             []string
	Seed             *int64
	N                int // candidates asked for; 0: one
	FrequencyPenalty *float64
	PresencePenalty  *float64
	LogitBias        json.RawMessage // an object, token id → bias
	Logprobs         bool
	TopLogprobs      *int64

	Reasoning *Reasoning

	User        string // whom the request is for, opaque
	Metadata    json.RawMessage
	ServiceTier string
	Store       *bool

	// StreamUsage is whether the client asked for usage in the stream. In
	// dialects that always tell it, true.
	StreamUsage bool

	// Other is the fields that have no place here, by name as the client wrote
	// it (a path where it is nested), raw. An encoder of the same dialect puts
	// them back; another tells each as a Loss.
	Other []Field
	// From is the dialect that Other is in.
	From string
}

// Field is a member of a JSON object, its value raw.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Role is who speaks in a message.
type Role uint8

const (
	User Role = iota
	Assistant
	ToolRole // results of calls
	SystemRole
)

func (r Role) String() string {
	return [...]string{"user", "assistant", "tool", "system"}[r]
}

// Message is one turn.
type Message struct {
	Role  Role
	Name  string // of the participant
	Parts []Part
	// Other is what this message says that has no place here.
	Other []Field
}

// PartType is what a part of a message is.
type PartType uint8

const (
	Text       PartType = iota
	Thinking            // Text, Signature
	Redacted            // thinking that only the provider can read: Data
	Refusal             // Text
	ToolCall            // ID, Name, Arguments
	ToolResult          // ID, Name, Parts, IsError
	Image               // Media
	Audio               // Media; in answers Text is the transcript
	File                // Media
	Opaque              // a part of another kind, Raw, that only dialect Kind can say
)

var partNames = [...]string{"text", "thinking", "redacted", "refusal", "tool_call", "tool_result", "image", "audio", "file", "opaque"}

func (t PartType) String() string { return partNames[t] }

// Part is a piece of a message.
type Part struct {
	Type PartType
	Text string
	// Signature proves to the provider that thinking is its own. Thinking
	// with a signature and no text is kept.
	Signature string
	Data      string // of Redacted

	ID        string // of the call, or of the call that a result answers
	Name      string // of the tool
	Arguments string // JSON text of the call's arguments, as it was; not checked
	IsError   bool
	Parts     []Part // of a result

	Media *Media

	// Citations is what the text refers to, raw, in dialect From.
	Citations json.RawMessage
	// Cache is the provider's own mark for caching the prompt up to here, raw.
	Cache json.RawMessage
	// Kind is the name of an Opaque part's type, Raw the part, From its dialect.
	Kind string
	From string
	Raw  json.RawMessage
}

// Media is an image, sound or file: by value, by address or by the provider's
// id.
type Media struct {
	MIME   string // "image/png"; "" when unknown
	Data   string // base64
	URL    string
	FileID string
	Name   string // of the file
	Detail string // "low", "high", "auto": how closely an image is looked at
	Format string // "wav", "mp3" where that is told instead of MIME
}

// Tool is a function that the model may ask for, or one of the provider's own.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage // JSON Schema of the arguments; nil: none told
	Strict      *bool
	Cache       json.RawMessage
	// Kind names a tool that the provider itself runs ("web_search"); Raw is
	// its definition in dialect From. "": a function of the client's.
	Kind string
	From string
	Raw  json.RawMessage
}

// ChoiceMode is which tools the model may or must call.
type ChoiceMode uint8

const (
	ChoiceUnset ChoiceMode = iota
	ChoiceAuto
	ChoiceNone
	ChoiceRequired // any one
	ChoiceNamed
)

// ToolChoice is what the client says of the use of tools.
type ToolChoice struct {
	Mode ChoiceMode
	Name string // ChoiceNamed
}

// FormatKind is the form of the answer's text.
type FormatKind uint8

const (
	FormatText FormatKind = iota
	FormatJSON            // any JSON object
	FormatSchema
)

// Format is the form that the answer's text must have.
type Format struct {
	Kind        FormatKind
	Name        string
	Description string
	Schema      json.RawMessage
	Strict      *bool
}

// Reasoning is how much the model may think.
type Reasoning struct {
	// Off asks for none.
	Off bool
	// Effort is "minimal", "low", "medium" or "high"; "": not told.
	Effort string
	// Budget is the tokens it may think for; nil: not told.
	Budget *int64
	// Show is whether the thoughts are wanted in the answer; nil: the
	// provider's default. Summary is the kind asked for ("auto", "concise",
	// "detailed").
	Show    *bool
	Summary string
}

// BudgetOf is the tokens that stand for an effort where a dialect knows
// budgets only, and EffortOf the other way round. The steps are those that
// providers document for their compatible endpoints: 1,024 low, 8,192 medium,
// 24,576 high.
func BudgetOf(effort string) int64 {
	switch effort {
	case "minimal":
		return 512
	case "low":
		return 1024
	case "medium":
		return 8192
	}
	return 24576
}

// EffortOf is the least effort whose budget is not below tokens.
func EffortOf(tokens int64) string {
	switch {
	case tokens <= 512:
		return "minimal"
	case tokens <= 1024:
		return "low"
	case tokens <= 8192:
		return "medium"
	}
	return "high"
}
