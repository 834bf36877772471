package answer

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// matcher compares text that comes in pieces with the text wanted, in place.
// Pieces are the inside of JSON strings. As in JavaScript, where such strings
// are UTF-16, a surrogate pair may be split over two pieces.
type matcher struct {
	want string
	pos  int  // bytes of want matched so far
	bad  bool // the text differs at pos
	high rune // a high surrogate that waits for its low half
}

func (m *matcher) reset() { m.pos, m.bad, m.high = 0, false, 0 }

// whole reports whether the text was exactly the one wanted.
func (m *matcher) whole() bool {
	m.lone()
	return !m.bad && m.pos == len(m.want)
}

// text adds a piece, which must be valid inside a JSON string.
func (m *matcher) text(raw []byte) {
	for len(raw) > 0 && !m.bad {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			m.literal(raw)
			return
		}
		m.literal(raw[:i])
		raw = m.escape(raw[i+1:])
	}
}

func (m *matcher) literal(s []byte) {
	if len(s) == 0 {
		return
	}
	m.lone()
	if m.bad {
		return
	}
	if len(s) <= len(m.want)-m.pos && string(s) == m.want[m.pos:m.pos+len(s)] {
		m.pos += len(s)
		return
	}
	m.bad = true
	for len(s) > 0 && m.pos < len(m.want) && s[0] == m.want[m.pos] {
		m.pos++
		s = s[1:]
	}
}

// escape reads what follows a backslash and returns what follows that.
func (m *matcher) escape(s []byte) (rest []byte) {
	if len(s) == 0 {
		m.bad = true
		return nil
	}
	r := rune(s[0])
	switch r {
	case 'b':
		r = '\b'
	case 'f':
		r = '\f'
	case 'n':
		r = '\n'
	case 'r':
		r = '\r'
	case 't':
		r = '\t'
	case 'u':
		u, ok := hex4(s[1:])
		if !ok {
			m.bad = true
			return nil
		}
		m.unit(u)
		return s[5:]
	}
	m.put(r)
	return s[1:]
}

// unit adds one UTF-16 code unit.
func (m *matcher) unit(u rune) {
	switch {
	case m.high != 0 && 0xdc00 <= u && u < 0xe000:
		r := utf16.DecodeRune(m.high, u)
		m.high = 0
		m.put(r)
	case 0xd800 <= u && u < 0xdc00:
		m.lone()
		m.high = u
	default:
		m.put(u) // a low surrogate alone becomes U+FFFD
	}
}

// lone gives up waiting for the low half of a pair.
func (m *matcher) lone() {
	if m.high != 0 {
		m.high = 0
		m.put(utf8.RuneError)
	}
}

func (m *matcher) put(r rune) {
	m.lone()
	var b [utf8.UTFMax]byte
	n := utf8.EncodeRune(b[:], r)
	m.literal(b[:n])
}
