package wire

import (
	"bytes"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// maxMethod is the longest method that is read, in bytes: the longest
// registered one has 17.
const maxMethod = 24

// Request is a decoded request head. Slices point into the buffer that was
// parsed; Fields keeps its memory from head to head.
type Request struct {
	exchange.RequestHead
	Body      Kind // BodyNone, BodyLength or BodyChunked
	KeepAlive bool // the client is ready for another request on this connection
	Expect    bool // it waits for 100 Continue before it sends the body

	k    known
	from int // bytes of an incomplete head that hold no end
}

// Reset forgets a half-read head.
func (r *Request) Reset() { r.from = 0 }

// Parse reads a head at the start of b. It returns the head's length, or 0
// when more bytes are needed; then b must only have grown at the next call.
func (r *Request) Parse(b []byte, lim Limits) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if r.from > 0 && !headEnds(b, &r.from) {
		return 0, oversize(len(b)+1, lim)
	}
	n, err := r.parse(b, lim)
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

// oversize is an error when a head of n bytes is over the limit.
func oversize(n int, lim Limits) error {
	if lim.Bytes > 0 && n > lim.Bytes {
		return errHeadBytes
	}
	return nil
}

func (r *Request) parse(b []byte, lim Limits) (int, error) {
	end, next, err := line(b, 0)
	if err != nil {
		return 0, err
	}
	if next == 0 {
		return 0, nil
	}
	authority, err := r.requestLine(b[:end:end])
	if err != nil {
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
	switch {
	case k.hosts > 1, k.hosts == 0 && r.Minor == 1, !all(k.host, classHost):
		return 0, errHost
	case authority != nil && k.hosts == 1 && !equalFold(authority, k.host):
		return 0, errAuthority
	case k.chunked && k.length >= 0:
		return 0, errBothFramings
	case k.chunked && r.Minor == 0:
		return 0, errCoding10
	}
	switch {
	case k.chunked:
		r.Body, r.ContentLength = BodyChunked, -1
	case k.length > 0:
		r.Body, r.ContentLength = BodyLength, k.length
	default:
		r.Body, r.ContentLength = BodyNone, 0
	}
	r.KeepAlive = !k.connClose && (r.Minor == 1 || k.connKeep)
	r.Expect = k.expect && r.Minor == 1 && r.Body != BodyNone
	return n, nil
}

// requestLine reads method, target and version. The authority of a target in
// absolute form is returned; the target is kept in origin form.
func (r *Request) requestLine(l []byte) (authority []byte, err *Error) {
	sp := bytes.IndexByte(l, ' ')
	if sp <= 0 || len(l) < sp+len(" / HTTP/1.1")-1 {
		return nil, errRequestLine
	}
	if sp > maxMethod || !all(l[:sp], classToken) {
		return nil, errMethod
	}
	v := l[len(l)-len(" HTTP/1.1"):]
	if string(v[:6]) != " HTTP/" || v[6] < '0' || v[6] > '9' || v[7] != '.' || v[8] < '0' || v[8] > '9' {
		return nil, errRequestLine
	}
	if v[6] != '1' || v[8] > '1' {
		return nil, errVersion
	}
	if len(l)-len(v) < sp+1 {
		return nil, errRequestLine
	}
	r.Method, r.Minor = l[:sp:sp], int(v[8]-'0')
	t := l[sp+1 : len(l)-len(v)]
	if len(t) > 0 && t[0] != '/' && !(len(t) == 1 && t[0] == '*') {
		if t, authority = splitAbsolute(t); authority == nil {
			return nil, errTarget
		}
	}
	if !validTarget(t, r.Method) {
		return nil, errTarget
	}
	r.Target = t[:len(t):len(t)]
	return authority, nil
}

// splitAbsolute takes "http://authority" off a target. A target without a path
// is refused but for the bare authority, which stands for "/".
func splitAbsolute(t []byte) (target, authority []byte) {
	i := bytes.Index(t, []byte("://"))
	if i < 0 || !Is(t[:i], "http") && !Is(t[:i], "https") {
		return nil, nil
	}
	rest := t[i+len("://"):]
	slash := bytes.IndexByte(rest, '/')
	if slash < 0 {
		slash, target = len(rest), []byte("/")
	} else {
		target = rest[slash:]
	}
	if slash == 0 || !all(rest[:slash], classHost) {
		return nil, nil
	}
	return target, rest[:slash]
}

// validTarget accepts origin form, and "*" of OPTIONS. Percent signs in the
// path begin an escape: a path that two readers unescape in two ways is refused.
func validTarget(t, method []byte) bool {
	if len(t) == 1 && t[0] == '*' {
		return string(method) == "OPTIONS"
	}
	if len(t) == 0 || t[0] != '/' || !all(t, classTarget) {
		return false
	}
	for i, c := range t {
		switch c {
		case '?':
			return true
		case '%':
			if i+2 >= len(t) || class[t[i+1]]&classHex == 0 || class[t[i+2]]&classHex == 0 {
				return false
			}
		}
	}
	return true
}
