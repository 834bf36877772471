package sse

import (
	"bytes"
	"errors"
	"fmt"
)

// MaxEvent bounds one event, and one line, in bytes.
const MaxEvent = 4 << 20

// ErrTooLong says that an event or a line was longer than MaxEvent.
var ErrTooLong = errors.New("event is too long")

// Where the data of the event being read is.
type holding uint8

const (
	nothing  holding = iota // no data line yet
	borrowed                // one data line, a part of the caller's bytes or of Parser.line
	owned                   // copied into Parser.data
)

// Parser reads one event stream. The zero value is ready.
type Parser struct {
	line    []byte // an unfinished line of an earlier piece
	data    []byte // data lines joined by LF
	ref     []byte // see borrowed
	holding holding
	skipLF  bool // the last byte ended a line with CR; an LF now belongs to it
	begun   bool // the first line, which may carry a byte order mark, was read
	open    bool // a line of an unfinished event was read
}

// Reset makes the parser ready for a new stream.
func (p *Parser) Reset() {
	p.line, p.data, p.ref = p.line[:0], p.data[:0], nil
	p.holding, p.skipLF, p.begun, p.open = nothing, false, false, false
}

// Unfinished reports whether the stream stops inside an event: by the
// standard, what it held is discarded.
func (p *Parser) Unfinished() bool { return p.open || len(p.line) > 0 }

// Next consumes the first n bytes of b, up to and including the end of one
// event that has data, and returns that data with ok set. Without ok all of b
// was consumed. data is valid until the next call and only as long as b is.
func (p *Parser) Next(b []byte) (data []byte, n int, ok bool, err error) {
	i := 0
	if p.skipLF && len(b) > 0 {
		if p.skipLF = false; b[0] == '\n' {
			i = 1
		}
	}
	for i < len(b) {
		end := lineEnd(b[i:])
		if end < 0 {
			break
		}
		line := b[i : i+end]
		i += end + 1
		if b[i-1] == '\r' {
			switch {
			case i == len(b):
				p.skipLF = true
			case b[i] == '\n':
				i++
			}
		}
		if len(p.line) > 0 {
			p.line = append(p.line, line...)
			line, p.line = p.line, p.line[:0]
		}
		data, ok, err = p.takeLine(line)
		if ok || err != nil {
			return data, i, ok, err
		}
	}
	return nil, len(b), false, p.keep(b[i:])
}

// keep copies what must outlive the caller's bytes. The borrowed line may lie
// in p.line, so it is copied before the rest is appended there.
func (p *Parser) keep(rest []byte) error {
	if p.holding == borrowed {
		p.data = append(p.data[:0], p.ref...)
		p.ref, p.holding = nil, owned
	}
	if len(p.line)+len(rest) > MaxEvent {
		return fmt.Errorf("%w: a line has more than %d bytes", ErrTooLong, MaxEvent)
	}
	p.line = append(p.line, rest...)
	return nil
}

var (
	byteOrderMark = []byte("\xef\xbb\xbf")
	dataField     = []byte("data")
)

// takeLine reads one whole line, without its end.
func (p *Parser) takeLine(line []byte) (data []byte, ok bool, err error) {
	if !p.begun {
		p.begun = true
		line = bytes.TrimPrefix(line, byteOrderMark)
	}
	if len(line) == 0 {
		held := p.holding
		p.holding, p.open = nothing, false
		switch held {
		case borrowed:
			data, p.ref = p.ref, nil
			return data, true, nil
		case owned:
			return p.data, true, nil
		}
		return nil, false, nil
	}
	if line[0] == ':' {
		return nil, false, nil // a comment is no part of an event
	}
	p.open = true
	if !bytes.HasPrefix(line, dataField) {
		return nil, false, nil // event, id, retry, or a field the standard ignores
	}
	value := line[len(dataField):]
	switch {
	case len(value) == 0: // the bare word "data" is an empty data line
	case value[0] != ':':
		return nil, false, nil // another field whose name begins with "data"
	default:
		if value = value[1:]; len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	return nil, false, p.addData(value)
}

func (p *Parser) addData(value []byte) error {
	switch p.holding {
	case nothing:
		p.ref, p.holding = value, borrowed
		return nil
	case borrowed:
		p.data = append(p.data[:0], p.ref...)
		p.ref, p.holding = nil, owned
	}
	if len(p.data)+len(value) > MaxEvent {
		return fmt.Errorf("%w: its data has more than %d bytes", ErrTooLong, MaxEvent)
	}
	p.data = append(p.data, '\n')
	p.data = append(p.data, value...)
	return nil
}

// lineEnd is the index of the first CR or LF of b, -1 when there is none.
func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf < 0 {
		return bytes.IndexByte(b, '\r')
	}
	if cr := bytes.IndexByte(b[:lf], '\r'); cr >= 0 {
		return cr
	}
	return lf
}
