package wire

// Error says why a message is refused. Values are package variables, so that
// refusing allocates nothing.
type Error struct {
	Status int // what to answer a client: 400, 417, 431, 501, 505
	Reason string
}

func (e *Error) Error() string { return "wire: " + e.Reason }

// TooLarge reports whether the message was refused for its size alone.
func (e *Error) TooLarge() bool { return e.Status == 431 }

func malformed(reason string) *Error { return &Error{Status: 400, Reason: reason} }

var (
	errBareLF       = malformed("line ends in a bare LF")
	errRequestLine  = malformed("malformed request line")
	errMethod       = malformed("malformed method")
	errTarget       = malformed("malformed request target")
	errAuthority    = malformed("request target and Host differ")
	errVersion      = &Error{Status: 505, Reason: "only HTTP/1.1 and HTTP/1.0 are spoken here"}
	errStatusLine   = malformed("malformed status line")
	errFold         = malformed("folded header line")
	errFieldName    = malformed("malformed header name")
	errFieldValue   = malformed("control character in a header value")
	errHost         = malformed("missing, repeated or malformed Host")
	errLength       = malformed("malformed or repeated Content-Length")
	errBothFramings = malformed("Content-Length together with Transfer-Encoding")
	errCoding       = &Error{Status: 501, Reason: "transfer coding other than chunked"}
	errCodingTwice  = malformed("repeated Transfer-Encoding")
	errCoding10     = malformed("Transfer-Encoding in HTTP/1.0")
	errExpect       = &Error{Status: 417, Reason: "expectation other than 100-continue"}
	errHeadBytes    = &Error{Status: 431, Reason: "request header fields too large"}
	errHeadFields   = &Error{Status: 431, Reason: "too many request header fields"}
	errChunkSize    = malformed("malformed chunk size")
	errChunkEnd     = malformed("chunk data not followed by CRLF")
	errChunkExt     = malformed("malformed or oversize chunk extension")
	errTrailer      = malformed("malformed or oversize trailer")
	errShortBody    = malformed("connection closed inside the body")
)
