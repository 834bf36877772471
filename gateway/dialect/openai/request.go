package openai

import "bytes"

// Span is a half-open range of a body. The zero value means that there is
// none: no value of an object begins at 0.
type Span struct{ At, End int }

// Of is the bytes of the span in its body.
func (s Span) Of(b []byte) []byte { return b[s.At:s.End] }

// Absent reports whether the member did not occur.
func (s Span) Absent() bool { return s.End == 0 }

// Fault says what is wrong with a request body.
type Fault uint8

const (
	FaultNone       Fault = iota
	FaultSyntax           // no JSON, or something after it
	FaultNotObject        // JSON, but no object
	FaultDeep             // nested deeper than MaxDepth
	FaultDuplicate        // a member that the gateway acts on stands twice
	FaultModelType        // model is no string
	FaultStreamType       // stream is neither a boolean nor null
)

// Request is what the gateway reads of a request body. Strings stay in the
// body: spans of values include their quotes.
//
// A member that the gateway acts on may stand only once: parsers differ in
// which of two they take, and a request must not be admitted by one and
// answered by the other. Names written with escapes are the same names. Other
// members may repeat and pass as they are.
type Request struct {
	Model         Span
	ModelEscaped  bool // the model's name has escapes: decode it
	Stream        bool
	StreamOptions Span  // whole value
	includeUsage  Span  // value inside StreamOptions
	IncludeUsage  bool  // the client asked for usage
	MaxTokens     int64 // the larger of max_tokens and max_completion_tokens; 0: none stated
	N             int64 // answers asked for, at least 1
	User          Span
	PromptChars   int64  // characters of text in messages, input, tools; see Scan
	Close         int    // index of the object's closing brace
	At            int    // where a fault was found
	Param         string // the member that a fault is about, "" for none

	seen member
	syn  syntax
}

// Scan reads a body in one pass. It accepts what encoding/json.Valid accepts
// of objects, invalid UTF-8 inside strings included (it passes as it came),
// but no deeper nesting than MaxDepth, and no member of ours twice.
//
// PromptChars is the sum of the characters of text members (content, text,
// arguments, name, refusal, reasoning) inside messages, of every string inside
// input (a number there is a token: four characters), and of the bytes of
// tools and functions. Four of them count as one token where nothing better is
// known.
func (r *Request) Scan(b []byte) Fault {
	inObject := r.syn.inObject
	*r = Request{N: 1}
	r.syn.inObject = inObject // stale bits are overwritten before they are read
	i := blank(b, 0)
	if i >= len(b) || b[i] != '{' {
		return r.notObject(b, i)
	}
	if i = blank(b, i+1); i < len(b) && b[i] == '}' {
		r.Close = i
		return r.end(b, i)
	}
	for {
		if i >= len(b) || b[i] != '"' {
			return r.fail(FaultSyntax, i)
		}
		key := i + 1
		end, _, escaped := str(b, key)
		if end < 0 {
			return r.fail(FaultSyntax, i)
		}
		m := memberOther
		if name := b[key : end-1]; !escaped {
			m = memberOf(name)
		} else if len(name) <= 6*longestName {
			var buf [6 * longestName]byte
			m = memberOf(unescape(buf[:0], name))
		}
		if i = blank(b, end); i >= len(b) || b[i] != ':' {
			return r.fail(FaultSyntax, i)
		}
		i = blank(b, i+1)
		if m&once&r.seen != 0 {
			r.Param = nameOf(m)
			return r.fail(FaultDuplicate, key)
		}
		r.seen |= m
		at := i
		mode := countNone
		switch m {
		case memberMessages:
			mode = countText
		case memberInput:
			mode = countAll
		}
		if i = r.syn.value(b, at, 1, mode); i < 0 {
			if r.syn.tooDeep {
				return r.fail(FaultDeep, at)
			}
			return r.fail(FaultSyntax, at)
		}
		if m != memberOther {
			if f := r.take(b, m, Span{at, i}); f != FaultNone {
				r.Param = nameOf(m)
				return r.fail(f, at)
			}
		}
		if i = blank(b, i); i >= len(b) {
			return r.fail(FaultSyntax, i)
		}
		switch b[i] {
		case ',':
			i = blank(b, i+1)
		case '}':
			r.Close = i
			return r.end(b, i)
		default:
			return r.fail(FaultSyntax, i)
		}
	}
}

// end checks that nothing follows the object's closing brace at i.
func (r *Request) end(b []byte, i int) Fault {
	if i = blank(b, i+1); i != len(b) {
		return r.fail(FaultSyntax, i)
	}
	r.PromptChars += r.syn.chars
	return FaultNone
}

func (r *Request) fail(f Fault, at int) Fault {
	r.At = at
	return f
}

// notObject tells JSON that is no object from what is no JSON.
func (r *Request) notObject(b []byte, i int) Fault {
	if end := r.syn.value(b, i, 0, countNone); end >= 0 && blank(b, end) == len(b) {
		return r.fail(FaultNotObject, i)
	}
	return r.fail(FaultSyntax, i)
}

// take keeps one member's value.
func (r *Request) take(b []byte, m member, v Span) Fault {
	switch m {
	case memberModel:
		if b[v.At] != '"' {
			return FaultModelType
		}
		r.Model = v
		r.ModelEscaped = bytes.IndexByte(b[v.At+1:v.End-1], '\\') >= 0
	case memberStream:
		switch b[v.At] {
		case 't':
			r.Stream = true
		case 'f', 'n':
		default:
			return FaultStreamType
		}
	case memberOptions:
		r.StreamOptions = v
		r.options(b)
	case memberMax, memberMaxCompletion:
		r.MaxTokens = max(r.MaxTokens, integer(v.Of(b)))
	case memberN:
		r.N = max(1, integer(v.Of(b)))
	case memberUser:
		r.User = v
	case memberTools:
		r.PromptChars += int64(v.End - v.At)
	}
	return FaultNone
}

// integer is the value of a JSON number without fraction or exponent, at most
// 2^53; 0 for anything else, which leaves the request to the model's own limit.
func integer(v []byte) int64 {
	var n int64
	for _, c := range v {
		if c-'0' > 9 {
			return 0
		}
		if n = n*10 + int64(c-'0'); n > 1<<53 {
			return 1 << 53
		}
	}
	return n
}

// Name appends the model's name, decoded, to dst; without escapes use the
// body's own bytes: Model.Of(body) between its quotes.
func (r *Request) Name(dst, body []byte) []byte {
	return unescape(dst, body[r.Model.At+1:r.Model.End-1])
}
