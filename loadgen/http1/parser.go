package http1

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Limits on what a server may make the client hold, in bytes.
const (
	MaxHead  = 64 << 10 // status line and header lines of one answer
	maxLine  = 4 << 10  // one chunk-size line with its extensions
	maxChunk = 1 << 40  // one chunk's or body's announced size
	maxHints = 16       // 1xx answers before the final one
)

// ErrSyntax is wrapped by every error that says the bytes are no HTTP/1.1
// answer. Anything else that ends an answer early is io.ErrUnexpectedEOF.
var ErrSyntax = errors.New("malformed HTTP answer")

func syntax(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrSyntax, fmt.Sprintf(format, args...))
}

// Head is what the generator needs to know of an answer's head.
type Head struct {
	Status    int
	KeepAlive bool   // the connection may carry another request
	Length    int64  // announced body length; -1: chunked or until close
	Marked    bool   // the header named by Parser.Mark was there
	Mark      []byte // its value, cut to 64 bytes; valid until the next Reset
}

type state uint8

const (
	inHead state = iota
	inBody
	inChunkSize
	inChunkExt
	inChunkSizeLF
	inChunkData
	inChunkCR
	inChunkLF
	inTrailer
	untilClose
	done
)

// Parser reads one answer after the other. The zero value is ready for an
// answer to a request that is not HEAD.
type Parser struct {
	Mark string // lower-case name of a header whose presence matters; may be empty

	Head Head // valid once HeadDone

	state  state
	noBody bool // the request was HEAD
	hints  int
	head   []byte // a head that did not arrive in one piece
	left   int64  // bytes left of the body or chunk
	digits int
	line   int  // bytes of the current extension or trailer line
	extra  int  // bytes of all trailer lines
	wasCR  bool // the last trailer byte was CR
	mark   [64]byte
}

// Reset makes the parser ready for the next answer. head says that the
// request's method was HEAD, whose answer has no body.
func (p *Parser) Reset(head bool) {
	p.Head = Head{}
	p.state, p.noBody, p.hints = inHead, head, 0
	p.head = p.head[:0]
	p.left, p.digits, p.line, p.extra, p.wasCR = 0, 0, 0, 0, false
}

// HeadDone reports whether the final answer's head was read whole.
func (p *Parser) HeadDone() bool { return p.state != inHead }

// Done reports whether the answer was read whole.
func (p *Parser) Done() bool { return p.state == done }

// Next consumes the first n bytes of b, n > 0 unless b is empty or the answer
// is done. When they held body bytes, body is those, as a part of b. Call it
// until b is used up or Done.
func (p *Parser) Next(b []byte) (body []byte, n int, err error) {
	switch p.state {
	case inHead:
		n, err = p.readHead(b)
		return nil, n, err
	case inBody, inChunkData:
		n = int(min(p.left, int64(len(b))))
		if p.left -= int64(n); p.left == 0 {
			if p.state == inBody {
				p.state = done
			} else {
				p.state = inChunkCR
			}
		}
		return b[:n], n, nil
	case untilClose:
		return b, len(b), nil
	case done:
		return nil, 0, nil
	}
	n, err = p.readChunkFraming(b)
	return nil, n, err
}

// EOF says how the answer stands when the server closed the connection: nil
// when it is whole, io.EOF when nothing of it came, io.ErrUnexpectedEOF when
// it was cut.
func (p *Parser) EOF() error {
	switch {
	case p.state == done:
		return nil
	case p.state == untilClose:
		p.state = done
		return nil
	case p.state == inHead && len(p.head) == 0 && p.hints == 0:
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}

// readHead looks for the end of the head in b, or in what was kept of it.
func (p *Parser) readHead(b []byte) (int, error) {
	kept := len(p.head)
	whole := b
	if kept > 0 {
		p.head = append(p.head, b...)
		whole = p.head
	}
	// The terminator may straddle what was kept and what came now.
	from := max(0, kept-3)
	end := bytes.Index(whole[from:], []byte("\r\n\r\n"))
	if end < 0 {
		// A head whose lines end in LF alone would otherwise wait for ever.
		for i := kept; i < len(whole); i++ {
			if whole[i] == '\n' && (i == 0 || whole[i-1] != '\r') {
				return 0, syntax("head line ends in LF without CR")
			}
		}
		if len(whole) > MaxHead {
			return 0, syntax("head is longer than %d bytes", MaxHead)
		}
		if kept == 0 {
			p.head = append(p.head, b...)
		}
		return len(b), nil
	}
	end += from
	if end > MaxHead {
		return 0, syntax("head is longer than %d bytes", MaxHead)
	}
	err := p.parseHead(whole[:end+2])
	p.head = p.head[:0]
	return end + 4 - kept, err
}
