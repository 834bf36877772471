package wire

import (
	"strconv"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// Connection is what a response says about its connection.
type Connection uint8

const (
	ConnectionDefault   Connection = iota // nothing: it persists in HTTP/1.1
	ConnectionClose                       // "Connection: close"
	ConnectionKeepAlive                   // "Connection: Keep-Alive", for HTTP/1.0 clients
)

// ResponseLine is what a response head is written from, beside the fields.
type ResponseLine struct {
	Status int
	// Body frames it: BodyLength writes Length, BodyChunked the coding;
	// BodyClose and BodyNone write neither.
	Body       Kind
	Length     int64
	Connection Connection
	Date       []byte // value of the Date field; empty: none. A Date among the fields wins.
}

// Continue is the interim response that asks for a body.
const Continue = "HTTP/1.1 100 Continue\r\n\r\n"

// Ends of chunks and of chunked bodies.
const (
	ChunkEnd  = "\r\n"
	LastChunk = "0\r\n\r\n"
)

// AppendRequestHead appends a request head with its framing: bodyLen is the
// body's length, below 0 for none. The fields must not hold Host,
// Content-Length, Transfer-Encoding or Connection.
func AppendRequestHead(dst []byte, method string, path []byte, host string, fields []exchange.Field, bodyLen int64) []byte {
	dst = append(dst, method...)
	dst = append(dst, ' ')
	dst = append(dst, path...)
	dst = append(dst, " HTTP/1.1\r\nHost: "...)
	dst = append(dst, host...)
	dst = append(dst, "\r\n"...)
	dst, _ = appendFields(dst, fields)
	if bodyLen >= 0 {
		dst = appendLength(dst, bodyLen)
	}
	return append(dst, "\r\n"...)
}

// AppendResponseHead appends a response head. The fields must not hold
// Content-Length, Transfer-Encoding, Connection or Keep-Alive.
func AppendResponseHead(dst []byte, l *ResponseLine, fields []exchange.Field) []byte {
	dst = appendStatus(dst, l.Status)
	dst, dated := appendFields(dst, fields)
	if !dated && len(l.Date) > 0 {
		dst = append(dst, "Date: "...)
		dst = append(dst, l.Date...)
		dst = append(dst, "\r\n"...)
	}
	switch l.Body {
	case BodyLength:
		dst = appendLength(dst, l.Length)
	case BodyChunked:
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	switch l.Connection {
	case ConnectionClose:
		dst = append(dst, "Connection: close\r\n"...)
	case ConnectionKeepAlive:
		dst = append(dst, "Connection: Keep-Alive\r\n"...)
	}
	return append(dst, "\r\n"...)
}

// AppendChunkHead appends the size line of a chunk of n bytes.
func AppendChunkHead(dst []byte, n int) []byte {
	dst = strconv.AppendUint(dst, uint64(n), 16)
	return append(dst, "\r\n"...)
}

func appendLength(dst []byte, n int64) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, n, 10)
	return append(dst, "\r\n"...)
}

func appendFields(dst []byte, fields []exchange.Field) (_ []byte, dated bool) {
	for i := range fields {
		f := &fields[i]
		dst = append(dst, f.Name...)
		dst = append(dst, ": "...)
		dst = append(dst, f.Value...)
		dst = append(dst, "\r\n"...)
		dated = dated || len(f.Name) == 4 && Is(f.Name, "date")
	}
	return dst, dated
}

// appendStatus appends the status line. The reason phrase means nothing to a
// program; it is written for those who read along.
func appendStatus(dst []byte, status int) []byte {
	if status == 200 {
		return append(dst, "HTTP/1.1 200 OK\r\n"...)
	}
	dst = append(dst, "HTTP/1.1 "...)
	dst = strconv.AppendInt(dst, int64(status), 10)
	dst = append(dst, ' ')
	dst = append(dst, phrases[status]...)
	return append(dst, "\r\n"...)
}

// phrases holds RFC 9110's reason phrases; a status that is not listed is
// written without one.
var phrases = func() (t [1000]string) {
	for status, phrase := range map[int]string{
		200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
		301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
		307: "Temporary Redirect", 308: "Permanent Redirect",
		400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden",
		404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
		409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
		413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
		417: "Expectation Failed", 421: "Misdirected Request", 422: "Unprocessable Content",
		424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
		429: "Too Many Requests", 431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
		500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
		503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
	} {
		t[status] = phrase
	}
	return t
}()
