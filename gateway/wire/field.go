package wire

import (
	"bytes"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// Limits bounds a head.
type Limits struct {
	Bytes  int // first line and fields with their line ends; 0: no limit
	Fields int // number of fields; 0: no limit
}

// known is what the fields say about framing and the connection.
type known struct {
	host      []byte
	hosts     int
	length    int64 // -1: not given
	chunked   bool
	connClose bool
	connKeep  bool
	expect    bool
}

// line finds the line that begins at pos: its text is b[pos:end], the next one
// begins at next. next is 0 when the line is not complete.
func line(b []byte, pos int) (end, next int, err *Error) {
	i := bytes.IndexByte(b[pos:], '\n')
	if i < 0 {
		return 0, 0, nil
	}
	if i == 0 || b[pos+i-1] != '\r' {
		return 0, 0, errBareLF
	}
	return pos + i - 1, pos + i + 1, nil
}

// parseFields reads field lines from pos up to and including the empty line.
// It returns the position after that, or 0 when there is more to come.
func parseFields(b []byte, pos int, lim Limits, fields []exchange.Field, k *known) (int, []exchange.Field, *Error) {
	k.length = -1
	for {
		end, next, err := line(b, pos)
		if err != nil {
			return 0, fields, err
		}
		if next == 0 {
			return 0, fields, nil
		}
		if end == pos {
			return next, fields, nil
		}
		i := pos
		for class[b[i]]&classToken != 0 {
			i++ // ends at the latest on the line's CR
		}
		if i == pos || b[i] != ':' {
			if b[pos] == ' ' || b[pos] == '\t' {
				return 0, fields, errFold
			}
			return 0, fields, errFieldName
		}
		name, value := b[pos:i:i], trim(b[i+1:end:end])
		if !cleanValue(value) {
			return 0, fields, errFieldValue
		}
		if lim.Fields > 0 && len(fields) >= lim.Fields {
			return 0, fields, errHeadFields
		}
		fields = append(fields, exchange.Field{Name: name, Value: value})
		if err := k.note(name, value); err != nil {
			return 0, fields, err
		}
		pos = next
	}
}

// note remembers the fields that matter here, told apart by length first.
func (k *known) note(name, value []byte) *Error {
	switch len(name) {
	case 4:
		if Is(name, "host") {
			k.host = value
			k.hosts++
		}
	case 6:
		if Is(name, "expect") {
			if !equalFold(value, []byte("100-continue")) {
				return errExpect
			}
			k.expect = true
		}
	case 10:
		if Is(name, "connection") {
			k.connection(value)
		}
	case 14:
		if Is(name, "content-length") {
			n, ok := decimal(value)
			if !ok || k.length >= 0 {
				return errLength
			}
			k.length = n
		}
	case 17:
		if Is(name, "transfer-encoding") {
			if k.chunked {
				return errCodingTwice
			}
			if !equalFold(value, []byte("chunked")) {
				return errCoding
			}
			k.chunked = true
		}
	}
	return nil
}

// connection reads a list of connection options.
func (k *known) connection(v []byte) {
	for len(v) > 0 {
		option := v
		if i := bytes.IndexByte(v, ','); i >= 0 {
			option, v = v[:i], v[i+1:]
		} else {
			v = nil
		}
		option = trim(option)
		switch {
		case Is(option, "close"):
			k.connClose = true
		case Is(option, "keep-alive"):
			k.connKeep = true
		}
	}
}

// decimal reads a number of 1 to 18 digits and nothing else.
func decimal(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// headEnds looks for the end of a head in b from *from on, which it moves; it
// also stops at a bare LF, for the parser to refuse.
func headEnds(b []byte, from *int) bool {
	for {
		i := bytes.IndexByte(b[*from:], '\n')
		if i < 0 {
			*from = len(b)
			return false
		}
		i += *from
		*from = i + 1
		if i == 0 || b[i-1] != '\r' || i >= 2 && b[i-2] == '\n' {
			return true
		}
	}
}
