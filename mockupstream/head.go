package mockupstream

import (
	"bytes"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// route is what the path of a request names.
type route uint8

const (
	routeUnknown route = iota
	routeChat
	routeEmbeddings
	routeModels
	numRoutes
)

// routeNames are the keys of the ground truth's by_route.
var routeNames = [numRoutes]string{"unknown", "chat", "embeddings", "models"}

// hasBody reports whether the body chooses the answer.
func (r route) hasBody() bool { return r == routeChat || r == routeEmbeddings }

// method is a request's method, as far as it matters here.
type method uint8

const (
	methodOther method = iota
	methodGet
	methodHead
	methodPost
)

// hexValue is the value of a hexadecimal digit, -1 for other bytes. isToken
// tells the bytes of header names and methods (RFC 9110, 5.6.2).
var (
	hexValue [256]int8
	isToken  [256]bool
)

func init() {
	for c := range 256 {
		hexValue[c] = -1
	}
	for i := range 10 {
		hexValue['0'+i] = int8(i)
		isToken['0'+i] = true
	}
	for i := range 6 {
		hexValue['a'+i], hexValue['A'+i] = int8(10+i), int8(10+i)
	}
	for i := range 26 {
		isToken['a'+i], isToken['A'+i] = true, true
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		isToken[c] = true
	}
}

func token(b []byte) bool {
	for _, c := range b {
		if !isToken[c] {
			return false
		}
	}
	return len(b) > 0
}

// requestLine reads "METHOD target HTTP/1.x", one space between.
func (p *parser) requestLine(line []byte) *refusal {
	name, rest, ok := bytes.Cut(line, []byte{' '})
	if !ok || !token(name) {
		return badLine
	}
	target, version, ok := bytes.Cut(rest, []byte{' '})
	if !ok || len(target) == 0 {
		return badLine
	}
	for _, c := range target {
		if c <= ' ' || c == 0x7f {
			return badLine
		}
	}
	switch string(version) {
	case "HTTP/1.1":
	case "HTTP/1.0":
		p.req.http10 = true
	default:
		if bytes.HasPrefix(version, []byte("HTTP/")) && bytes.IndexByte(version, ' ') < 0 {
			return unknownVersion
		}
		return badLine
	}
	switch string(name) {
	case "POST":
		p.req.method = methodPost
	case "GET":
		p.req.method = methodGet
	case "HEAD":
		p.req.method = methodHead
	}
	p.req.route = routeOf(target)
	p.state = inHeaders
	return nil
}

// routeOf finds the route of a request target in origin or absolute form.
func routeOf(target []byte) route {
	if i := bytes.IndexByte(target, '?'); i >= 0 {
		target = target[:i]
	}
	if rest, ok := bytes.CutPrefix(target, []byte("http://")); ok {
		i := bytes.IndexByte(rest, '/')
		if i < 0 {
			return routeUnknown
		}
		target = rest[i:]
	}
	switch string(target) {
	case "/v1/chat/completions":
		return routeChat
	case "/v1/embeddings":
		return routeEmbeddings
	case "/v1/models":
		return routeModels
	}
	return routeUnknown
}

// header takes a header line. Only the names that the answer or the framing
// depends on are looked at further.
func (p *parser) header(line []byte) *refusal {
	colon := bytes.IndexByte(line, ':')
	if colon <= 0 {
		return badHeader
	}
	name := line[:colon]
	if !token(name) {
		return badHeader // also a folded line, and a space before the colon
	}
	value := line[colon+1:]
	switch len(name) {
	case len("host"):
		if fold(name, "host") {
			p.hosts++
		}
	case len("expect"):
		if fold(name, "expect") {
			if !fold(trim(value), "100-continue") {
				return badExpectation
			}
			p.wait100 = true
		}
	case len("connection"):
		if fold(name, "connection") {
			p.connection(value)
		}
	case len("x-request-id"):
		if p.req.headerID == 0 && fold(name, "x-request-id") {
			p.req.headerID, _ = contract.ParseID(trim(value))
		}
	case len("content-length"):
		if fold(name, "content-length") {
			return p.contentLength(trim(value))
		}
	case len("transfer-encoding"):
		if fold(name, "transfer-encoding") {
			if !fold(trim(value), "chunked") {
				return unknownCoding
			}
			if p.te {
				return badLength
			}
			p.te = true
		}
	}
	return nil
}

func (p *parser) contentLength(value []byte) *refusal {
	// 18 digits fit an int64.
	if p.length >= 0 || len(value) == 0 || len(value) > 18 {
		return badLength
	}
	var n int64
	for _, c := range value {
		if c < '0' || c > '9' {
			return badLength
		}
		n = n*10 + int64(c-'0')
	}
	p.length = n
	return nil
}

func (p *parser) connection(value []byte) {
	for len(value) > 0 {
		option := value
		if i := bytes.IndexByte(value, ','); i >= 0 {
			option, value = value[:i], value[i+1:]
		} else {
			value = nil
		}
		switch option = trim(option); {
		case fold(option, "close"):
			p.close = true
		case fold(option, "keep-alive"):
			p.keepAlive = true
		}
	}
}

// trim cuts the optional white space around a header value.
func trim(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		b = b[:len(b)-1]
	}
	return b
}

// fold reports whether b is lower, which has no upper-case letter, without
// regard to the case of ASCII letters.
func fold(b []byte, lower string) bool {
	if len(b) != len(lower) {
		return false
	}
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
