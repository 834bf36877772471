package wire

import "github.com/tollgate-lab/tollgate/gateway/exchange"

// Response is a decoded response head. Slices point into the buffer that was
// parsed; Fields keeps its memory from head to head.
type Response struct {
	exchange.ResponseHead
	Minor     int
	Body      Kind // any: without a length and unchunked it is BodyClose
	KeepAlive bool // the connection may carry another request after the body

	k    known
	from int
}

// Reset forgets a half-read head.
func (r *Response) Reset() { r.from = 0 }

// Interim reports whether the head is a 1xx: the answer is still to come.
func (r *Response) Interim() bool { return r.Status < 200 }

// Parse reads a head at the start of b. It returns the head's length, or 0
// when more bytes are needed; then b must only have grown at the next call.
// noBody is set for the answer to HEAD.
func (r *Response) Parse(b []byte, lim Limits, noBody bool) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if r.from > 0 && !headEnds(b, &r.from) {
		return 0, oversize(len(b)+1, lim)
	}
	n, err := r.parse(b, lim, noBody)
	if err != nil {
		r.from = 0
		return 0, err
	}
	if n == 0 {
		r.from = len(b)
		return 0, oversize(len(b)+1, lim)
	}
	r.from = 0
	return n, oversize(n, lim)
}

func (r *Response) parse(b []byte, lim Limits, noBody bool) (int, error) {
	end, next, err := line(b, 0)
	if err != nil {
		return 0, err
	}
	if next == 0 {
		return 0, nil
	}
	if err := r.statusLine(b[:end]); err != nil {
		return 0, err
	}
	r.k = known{}
	n, fields, err := parseFields(b, next, lim, r.Fields[:0], &r.k)
	r.Fields = fields
	if err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, nil
	}
	k := &r.k
	if k.chunked && k.length >= 0 {
		return 0, errBothFramings
	}
	if k.chunked && r.Minor == 0 {
		return 0, errCoding10
	}
	r.KeepAlive = !k.connClose && (r.Minor == 1 || k.connKeep)
	switch {
	case noBody, r.Status < 200, r.Status == 204, r.Status == 304:
		r.Body, r.ContentLength = BodyNone, 0
	case k.chunked:
		r.Body, r.ContentLength = BodyChunked, -1
	case k.length == 0:
		r.Body, r.ContentLength = BodyNone, 0
	case k.length > 0:
		r.Body, r.ContentLength = BodyLength, k.length
	default:
		r.Body, r.ContentLength = BodyClose, -1
		r.KeepAlive = false
	}
	return n, nil
}

// statusLine reads "HTTP/1.x NNN reason"; the reason may be missing, with or
// without the space before it.
func (r *Response) statusLine(l []byte) *Error {
	const least = len("HTTP/1.1 200")
	if len(l) < least || string(l[:7]) != "HTTP/1." || l[7] != '0' && l[7] != '1' || l[8] != ' ' {
		return errStatusLine
	}
	code, ok := decimal(l[9:12])
	if !ok || code < 100 || code > 599 || len(l) > least && l[least] != ' ' {
		return errStatusLine
	}
	if len(l) > least && !cleanValue(l[least+1:]) {
		return errStatusLine
	}
	r.Minor, r.Status = int(l[7]-'0'), int(code)
	return nil
}
