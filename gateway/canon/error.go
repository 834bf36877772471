package canon

import "fmt"

// ErrorType is what kind of error a provider, or the gateway, tells.
type ErrorType uint8

const (
	ErrServer         ErrorType = iota // 500
	ErrInvalid                         // 400
	ErrAuthentication                  // 401
	ErrPermission                      // 403
	ErrNotFound                        // 404
	ErrTooLarge                        // 413
	ErrRateLimit                       // 429
	ErrOverloaded                      // 503, 529
	ErrTimeout                         // 504
)

var errorStatus = [...]int{500, 400, 401, 403, 404, 413, 429, 503, 504}

// Status is the HTTP status that stands for t.
func (t ErrorType) Status() int { return errorStatus[t] }

// ErrorTypeOf is the type that stands for an HTTP status.
func ErrorTypeOf(status int) ErrorType {
	switch {
	case status == 401:
		return ErrAuthentication
	case status == 403:
		return ErrPermission
	case status == 404:
		return ErrNotFound
	case status == 408 || status == 504:
		return ErrTimeout
	case status == 413:
		return ErrTooLarge
	case status == 429:
		return ErrRateLimit
	case status == 503 || status == 529:
		return ErrOverloaded
	case status >= 400 && status < 500:
		return ErrInvalid
	}
	return ErrServer
}

// Error is an error answer, or an error in the middle of a stream. Its strings
// are decoded.
type Error struct {
	Type    ErrorType
	Status  int    // of the answer; 0 in a stream
	Native  string // the provider's own type
	Code    string
	Param   string // the field that is at fault
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Native, e.Message) }

// LossKind says what becomes of a field that the other dialect cannot say.
type LossKind uint8

const (
	Dropped LossKind = iota // left out, with a warning to the client
	Refused                 // the request is refused with 400
)

func (k LossKind) String() string { return [...]string{"dropped", "refused"}[k] }

// Loss is a field of a request that a dialect cannot say.
type Loss struct {
	Field string // a path: "messages[2].content[0].input_audio"
	Kind  LossKind
	Why   string
}

// Losses is what a translation lost.
type Losses []Loss

// Drop notes a field that is left out.
func (l *Losses) Drop(field, why string) {
	*l = append(*l, Loss{Field: field, Kind: Dropped, Why: why})
}

// Refuse notes a field that cannot be left out.
func (l *Losses) Refuse(field, why string) {
	*l = append(*l, Loss{Field: field, Kind: Refused, Why: why})
}

// Refusal is the error of the first refused field, nil when there is none.
func (l Losses) Refusal() *Error {
	for _, x := range l {
		if x.Kind == Refused {
			return &Error{Type: ErrInvalid, Status: 400, Native: "invalid_request_error", Code: "unsupported_field", Param: x.Field, Message: x.Field + ": " + x.Why}
		}
	}
	return nil
}
