package mockupstream

import "bytes"

// parserState is what the parser expects next.
type parserState uint8

const (
	atStart      parserState = iota // request line, after empty lines if any
	inHeaders                       // header line or the head's end
	inBody                          // body of known length
	inChunkSize                     // size line of a chunk
	inChunkData                     // bytes of a chunk
	atChunkEnd                      // CRLF after a chunk
	inTrailers                      // trailer line or the message's end
	requestWhole                    // nothing: the request is whole
)

// limits bound one request, in bytes.
type limits struct {
	head int   // request line and headers; trailers and chunk sizes likewise
	body int64 // body, without its framing
}

// request is what the answer depends on.
type request struct {
	route     route
	method    method
	http10    bool
	persist   bool   // the peer lets the connection go on
	headerID  uint64 // lab id of X-Request-Id, 0 for none
	body      bodyScan
	text      textCount
	countText bool // set by the caller: run text over the body
}

// id is the request's lab id, 0 for none.
func (r *request) id() uint64 {
	if r.headerID != 0 {
		return r.headerID
	}
	return r.body.user
}

// mode is how the connection goes on after the answer.
func (r *request) mode() mode {
	switch {
	case !r.persist:
		return closing
	case r.http10:
		return keepAlive10
	}
	return keepAlive
}

func (r *request) framing() framing {
	switch {
	case r.http10:
		return unframed
	case !r.persist:
		return chunkedClose
	}
	return chunked
}

// parser reads one request at a time from bytes that arrive in any pieces. It
// is strict: where a message could be read in two ways it is refused.
type parser struct {
	limits limits
	req    request

	state     parserState
	scanned   int   // bytes of the line in hand already searched for its end
	lineBytes int   // bytes of lines taken since the head, or its body, began
	remaining int64 // of the body or chunk in hand
	bodyBytes int64 // of chunks so far
	length    int64 // Content-Length, -1 for none
	hosts     int
	te        bool // Transfer-Encoding: chunked
	wait100   bool // Expect: 100-continue not answered yet
	close     bool
	keepAlive bool
}

// reset makes p ready for the next request.
func (p *parser) reset() {
	r := &p.req
	r.route, r.method, r.http10, r.persist, r.headerID = routeUnknown, methodOther, false, false, 0
	r.body.reset()
	r.text.reset()
	p.state, p.scanned, p.lineBytes, p.remaining, p.bodyBytes, p.length = atStart, 0, 0, 0, 0, -1
	p.hosts, p.te, p.wait100, p.close, p.keepAlive = 0, false, false, false, false
}

// untouched reports whether no byte of a request has been taken.
func (p *parser) untouched() bool { return p.state == atStart && p.lineBytes == 0 }

// feed takes bytes from b and returns how many. It stops short of the end of
// b when the request is whole (done), or when the rest is a part of a line:
// that part must come again, with more bytes behind it.
func (p *parser) feed(b []byte) (n int, done bool, err *refusal) {
	for {
		switch p.state {
		case requestWhole:
			return n, true, nil
		case inBody, inChunkData:
			if p.remaining == 0 {
				p.bodyPartDone()
				continue
			}
			if n == len(b) {
				return n, false, nil
			}
			part := b[n:]
			if int64(len(part)) > p.remaining {
				part = part[:p.remaining]
			}
			p.remaining -= int64(len(part))
			n += len(part)
			if p.req.route.hasBody() {
				p.req.body.feed(part)
				if p.req.countText {
					p.req.text.feed(part)
				}
			}
		default:
			line, size, err := p.line(b[n:])
			if err != nil || size == 0 {
				return n, false, err
			}
			n += size
			if err := p.take(line); err != nil {
				return n, false, err
			}
		}
	}
}

// line cuts a line off b, without its CRLF. Its size is 0 when its end has
// not arrived.
func (p *parser) line(b []byte) (line []byte, size int, err *refusal) {
	i := bytes.IndexByte(b[p.scanned:], '\n')
	if i < 0 {
		p.scanned = len(b)
		if p.lineBytes+len(b) > p.limits.head {
			return nil, 0, headTooLarge
		}
		return nil, 0, nil
	}
	i += p.scanned
	p.scanned = 0
	p.lineBytes += i + 1
	if p.lineBytes > p.limits.head {
		return nil, 0, headTooLarge
	}
	if i == 0 || b[i-1] != '\r' {
		return nil, 0, bareLF
	}
	return b[:i-1], i + 1, nil
}

func (p *parser) take(line []byte) *refusal {
	switch p.state {
	case atStart:
		if len(line) == 0 {
			// RFC 9112, 2.2: empty lines before a request are skipped.
			p.lineBytes = 0
			return nil
		}
		return p.requestLine(line)
	case inHeaders:
		if len(line) == 0 {
			return p.headDone()
		}
		return p.header(line)
	case inChunkSize:
		p.lineBytes = 0 // many small chunks are no large head
		return p.chunkSize(line)
	case atChunkEnd:
		p.lineBytes = 0
		if len(line) != 0 {
			return badChunk
		}
		p.state = inChunkSize
	case inTrailers:
		if len(line) == 0 {
			p.state = requestWhole
		}
	}
	return nil
}

// headDone settles the body's framing.
func (p *parser) headDone() *refusal {
	r := &p.req
	if p.hosts > 1 || p.hosts == 0 && !r.http10 {
		return noHost
	}
	r.persist = !p.close && (!r.http10 || p.keepAlive)
	if r.http10 {
		p.wait100 = false
	}
	p.lineBytes = 0
	switch {
	case p.te && (p.length >= 0 || r.http10):
		return badLength
	case p.te:
		p.state = inChunkSize
	case p.length > p.limits.body:
		return bodyTooLarge
	case p.length > 0:
		p.state, p.remaining = inBody, p.length
	default:
		p.state, p.wait100 = requestWhole, false
	}
	return nil
}

// bodyPartDone ends a body or a chunk whose bytes have all arrived.
func (p *parser) bodyPartDone() {
	if p.state == inBody {
		p.state = requestWhole
		return
	}
	p.state = atChunkEnd
}

// chunkSize reads "size[;extension]" with the size in hexadecimal.
func (p *parser) chunkSize(line []byte) *refusal {
	if i := bytes.IndexByte(line, ';'); i >= 0 {
		line = bytes.TrimRight(line[:i], " \t")
	}
	if len(line) == 0 || len(line) > 15 {
		return badChunk
	}
	var n int64
	for _, c := range line {
		d := hexValue[c]
		if d < 0 {
			return badChunk
		}
		n = n<<4 | int64(d)
	}
	if n == 0 {
		p.state = inTrailers
		return nil
	}
	if p.bodyBytes += n; p.bodyBytes > p.limits.body {
		return bodyTooLarge
	}
	p.state, p.remaining = inChunkData, n
	return nil
}
