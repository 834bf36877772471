package openai

import "unicode/utf8"

// Types of errors, as OpenAI names them.
const (
	TypeInvalidRequest    = "invalid_request_error"
	TypeInsufficientQuota = "insufficient_quota"
	TypeRequests          = "requests"
	TypeTokens            = "tokens"
	TypeServer            = "server_error"
)

// Error is an error in OpenAI's format. An empty Param or Code is null.
type Error struct {
	Message, Type, Param, Code string
}

// Append appends the error's JSON to dst.
func (e *Error) Append(dst []byte) []byte {
	dst = append(dst, `{"error":{"message":`...)
	dst = AppendString(dst, e.Message)
	return e.appendRest(dst)
}

// AppendAbout appends the error with a message that quotes what the client
// sent: the Message up to its first '%', then about, then the rest.
func (e *Error) AppendAbout(dst, about []byte) []byte {
	dst = append(dst, `{"error":{"message":"`...)
	before, after := e.Message, ""
	for i := range len(e.Message) {
		if e.Message[i] == '%' {
			before, after = e.Message[:i], e.Message[i+1:]
			break
		}
	}
	dst = appendEscaped(dst, before)
	dst = appendEscaped(dst, about)
	dst = appendEscaped(dst, after)
	dst = append(dst, '"')
	return e.appendRest(dst)
}

func (e *Error) appendRest(dst []byte) []byte {
	dst = append(dst, `,"type":`...)
	dst = AppendString(dst, e.Type)
	dst = append(dst, `,"param":`...)
	dst = appendOrNull(dst, e.Param)
	dst = append(dst, `,"code":`...)
	dst = appendOrNull(dst, e.Code)
	return append(dst, "}}"...)
}

// AppendEvent appends the error as an event of a stream.
func (e *Error) AppendEvent(dst []byte) []byte {
	dst = append(dst, "data: "...)
	dst = e.Append(dst)
	return append(dst, "\n\n"...)
}

func appendOrNull(dst []byte, s string) []byte {
	if s == "" {
		return append(dst, "null"...)
	}
	return AppendString(dst, s)
}

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = appendEscaped(dst, s)
	return append(dst, '"')
}

// appendEscaped appends the inside of a JSON string. Bytes that are no UTF-8
// become U+FFFD.
func appendEscaped[T ~string | ~[]byte](dst []byte, s T) []byte {
	const digits = "0123456789abcdef"
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == '"' || c == '\\':
				dst = append(dst, '\\', c)
			case c < ' ' || c == 0x7F:
				dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
			default:
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune([]byte(s[i:min(i+utf8.UTFMax, len(s))]))
		dst = utf8.AppendRune(dst, r)
		i += n
	}
	return dst
}
