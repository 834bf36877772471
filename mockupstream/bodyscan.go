package mockupstream

import (
	"bytes"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// field is a field of the body that the scanner knows.
type field uint8

const (
	noField field = iota
	fieldStream
	fieldOptions
	fieldUsage
	fieldModel
	fieldUser
)

// bodyScan reads a JSON object in pieces and keeps the few fields that choose
// an answer. Long strings are skipped by searching for their quote, so that a
// large prompt costs little; everything nested is skipped by counting
// brackets. It checks no more of the syntax than it needs: ok says whether
// there was one object with its brackets and strings closed. Of a repeated
// field the last one counts.
type bodyScan struct {
	stream bool
	usage  bool   // stream_options.include_usage
	user   uint64 // the lab id in "user", 0 when it holds none

	depth     int
	began     bool
	bad       bool
	inString  bool
	escaped   bool // an odd number of backslashes precedes the next byte
	isKey     bool // the string in hand is a key that matters
	keyNext   bool // the next string at a depth that matters is a key
	inOptions bool // within the stream_options object
	field     field
	keep      bool // the string in hand is being kept
	kept      [maxModelBytes + 1]byte
	keptLen   int
	model     [maxModelBytes]byte
	modelLen  int
}

// reset makes s ready for another body. The text buffers keep their bytes.
func (s *bodyScan) reset() {
	s.stream, s.usage, s.user = false, false, 0
	s.depth, s.began, s.bad = 0, false, false
	s.inString, s.escaped, s.isKey, s.keyNext, s.inOptions = false, false, false, false, false
	s.field, s.keep, s.keptLen, s.modelLen = noField, false, 0, 0
}

// ok reports whether the bytes so far are one whole object.
func (s *bodyScan) ok() bool { return s.began && !s.bad && s.depth == 0 && !s.inString }

// modelName is the model's name, empty when absent or not plain. It is valid
// until the next reset.
func (s *bodyScan) modelName() []byte { return s.model[:s.modelLen] }

// feed scans the next piece of the body.
func (s *bodyScan) feed(b []byte) {
	for i := 0; i < len(b); {
		if s.inString {
			i += s.text(b[i:])
			continue
		}
		i += s.structure(b[i:])
	}
}

// text scans within a string, up to and with its closing quote, and returns
// how many bytes it took.
func (s *bodyScan) text(b []byte) int {
	for from := 0; ; {
		q := bytes.IndexByte(b[from:], '"')
		if q < 0 {
			s.escaped = s.oddBackslashes(b)
			s.collect(b)
			return len(b)
		}
		q += from
		if !s.oddBackslashes(b[:q]) {
			s.collect(b[:q])
			s.inString, s.escaped = false, false
			s.closeString()
			return q + 1
		}
		from = q + 1
		if from == len(b) {
			s.escaped = false
			s.collect(b)
			return from
		}
	}
}

// oddBackslashes reports whether the byte after b, a part of a string, is
// escaped.
func (s *bodyScan) oddBackslashes(b []byte) bool {
	i := len(b)
	for i > 0 && b[i-1] == '\\' {
		i--
	}
	odd := (len(b)-i)%2 == 1
	if i == 0 && s.escaped {
		return !odd
	}
	return odd
}

// collect keeps a part of a string that is wanted. One that does not fit is
// marked by a full buffer.
func (s *bodyScan) collect(b []byte) {
	if s.keep {
		s.keptLen += copy(s.kept[s.keptLen:], b)
	}
}

// relevant reports whether keys at the present depth matter.
func (s *bodyScan) relevant() bool { return s.depth == 1 || s.depth == 2 && s.inOptions }

// structure scans outside strings, until a string opens, and returns how many
// bytes it took.
func (s *bodyScan) structure(b []byte) int {
	for i, c := range b {
		switch c {
		case ' ', '\t', '\r', '\n':
		case '"':
			s.openString()
			return i + 1
		case '{', '[':
			s.open(c)
		case '}', ']':
			s.close()
		case ',':
			if s.relevant() {
				s.keyNext, s.field = true, noField
			}
		case ':':
		default:
			s.scalar(c)
		}
	}
	return len(b)
}

func (s *bodyScan) openString() {
	s.inString = true
	if s.depth == 0 {
		s.bad = true
	}
	s.isKey, s.keep = false, false
	if !s.relevant() {
		return
	}
	s.isKey = s.keyNext
	s.keep = s.isKey || s.depth == 1 && (s.field == fieldModel || s.field == fieldUser)
	s.keptLen = 0
}

// closeString takes the key or value just read.
func (s *bodyScan) closeString() {
	if !s.keep {
		if s.relevant() {
			s.value(false)
		}
		return
	}
	s.keep = false
	text := s.kept[:s.keptLen]
	if s.isKey {
		s.keyNext = false
		s.field = s.known(text)
		return
	}
	switch s.field {
	case fieldModel:
		s.modelLen = 0
		if plainName(text) {
			s.modelLen = copy(s.model[:], text)
		}
	case fieldUser:
		s.user, _ = contract.ParseID(text)
	}
	s.field = noField
}

func (s *bodyScan) known(key []byte) field {
	if s.depth == 2 {
		if string(key) == "include_usage" {
			return fieldUsage
		}
		return noField
	}
	switch string(key) {
	case "stream":
		return fieldStream
	case "stream_options":
		return fieldOptions
	case "model":
		return fieldModel
	case "user":
		return fieldUser
	}
	return noField
}

// value takes a value that is not a string wanted for its text.
func (s *bodyScan) value(isTrue bool) {
	switch s.field {
	case fieldStream:
		s.stream = isTrue
	case fieldUsage:
		s.usage = isTrue
	case fieldOptions:
		s.usage = false
	case fieldModel:
		s.modelLen = 0
	case fieldUser:
		s.user = 0
	}
	s.field = noField
}

// scalar takes the first byte of a literal or number, which tells true from
// all others; the rest of it finds no field waiting.
func (s *bodyScan) scalar(c byte) {
	if s.depth == 0 {
		s.bad = true
	}
	if s.relevant() {
		s.value(c == 't')
	}
}

func (s *bodyScan) open(c byte) {
	switch {
	case s.depth == 0:
		if s.began || c != '{' {
			s.bad = true
		}
		s.began, s.keyNext = true, true
	case s.depth == 1:
		s.inOptions = s.field == fieldOptions && c == '{'
		s.value(false)
		s.keyNext = s.inOptions
	case s.relevant():
		s.value(false)
	}
	s.depth++
}

func (s *bodyScan) close() {
	s.depth--
	switch {
	case s.depth < 0:
		s.bad, s.depth = true, 0
	case s.depth == 1:
		s.inOptions, s.keyNext, s.field = false, false, noField
	}
}
