package openai

import "bytes"

// FrameKind says what a frame of a stream is.
type FrameKind uint8

const (
	FrameNone  FrameKind = iota // the bytes ran out inside a frame
	FrameTail                   // the line feed of a blank line whose carriage return ended the frame
	FrameOther                  // comments, retry:, id:, empty frames: nothing for the reader
	FrameData                   // a chunk
	FrameError                  // a chunk that holds an error
	FrameDone                   // the terminator, [DONE]
)

// Stream finds the frames of an SSE answer. Bytes may be split anywhere. All
// of these are legal: comments, retry:, id:, event:, lines ended by LF, CRLF or
// CR, no space after the colon, several data: lines, a byte order mark. A line
// that is a bare JSON object is read as if it were data, since some providers
// report errors so.
type Stream struct {
	Answer
	// Done says that the terminator was seen.
	Done bool
	// UsageOnly says of the frame that ended last that it tells usage and has
	// no choice: the frame that is hidden from a client that did not ask.
	UsageOnly bool

	lines
}

// lines is the reading of lines and frames.
type lines struct {
	state  lineState
	match  int  // bytes matched of the field's name, mark or terminator
	skipLF bool // a carriage return ended the last line
	edge   bool // and it was the blank line of a frame
	begun  bool // a byte of the frame was seen
	data   bool // the frame has a data line
	done   bool // the frame's data is the terminator
}

type lineState uint8

const (
	lineMark  lineState = iota // a byte order mark may come
	lineStart                  // at the first byte of a line
	lineName                   // inside what may be "data:"
	lineSpace                  // after the colon
	lineFirst                  // at the first byte of data
	lineDone                   // inside what may be [DONE]
	lineData                   // data
	lineSkip                   // the rest of a line that is not read
)

const (
	mark       = "\xEF\xBB\xBF"
	dataName   = "data:"
	terminator = "[DONE]"
)

var openArray = []byte{'['}

// Reset makes s ready for another answer.
func (s *Stream) Reset() {
	s.Answer.Reset()
	s.Done, s.UsageOnly = false, false
	s.lines = lines{}
}

// Scan reads up to the end of the next frame: n is how many bytes it took. When
// kind is FrameNone it took all of them and the frame has not ended.
func (s *Stream) Scan(b []byte) (n int, kind FrameKind) {
	i := 0
	if s.skipLF && len(b) > 0 {
		s.skipLF = false
		if b[0] == '\n' {
			if i = 1; s.edge {
				s.edge = false
				return i, FrameTail
			}
		}
		s.edge = false
	}
	for i < len(b) {
		switch s.state {
		case lineStart:
			if c := b[i]; c == '\n' || c == '\r' {
				i = s.lineEnd(b, i)
				return i, s.endFrame()
			}
			s.begun = true
			if len(b)-i > len(dataName) && string(b[i:i+len(dataName)]) == dataName {
				i += len(dataName)
				s.state = lineSpace
				continue
			}
			s.match = 0
			switch b[i] {
			case 'd':
				s.state = lineName
			case '{':
				s.state, s.data = lineData, true
			default:
				s.state = lineSkip
			}
		case lineName:
			if b[i] != dataName[s.match] {
				s.bareName(b[i])
				continue
			}
			i++
			if s.match++; s.match == len(dataName) {
				s.state = lineSpace
			}
		case lineSpace:
			s.data = true
			s.state = lineFirst
			if b[i] == ' ' {
				i++
			}
		case lineFirst:
			if b[i] == '[' {
				s.state, s.match = lineDone, 0
			} else {
				s.state = lineData
			}
		case lineDone:
			i = s.inTerminator(b, i)
		case lineMark:
			if b[i] != mark[s.match] {
				s.state = lineStart
				if s.match > 0 { // a line that begins with half a mark
					s.state, s.begun = lineSkip, true
				}
				continue
			}
			i++
			if s.match++; s.match == len(mark) {
				s.state = lineStart
			}
		default:
			i = s.toLineEnd(b, i)
		}
	}
	return i, FrameNone
}

// bareName leaves a name that is not "data:"; the name alone, without a colon,
// is an empty data line.
func (s *Stream) bareName(c byte) {
	if s.match == len(dataName)-1 && (c == '\n' || c == '\r') {
		s.data = true
	}
	s.state = lineSkip
}

// inTerminator reads on in what may be the terminator.
func (s *Stream) inTerminator(b []byte, i int) int {
	c := b[i]
	switch {
	case s.match < len(terminator) && c == terminator[s.match]:
		s.match++
		return i + 1
	case s.match == len(terminator) && (c == '\n' || c == '\r'):
		s.done = true
		s.state = lineSkip
		return i
	case s.match == len(terminator) && c == ' ':
		return i + 1
	}
	s.Feed(openArray) // it was the beginning of an array
	s.state = lineData
	return i
}

// lineBreak is the index, at or after i, of the first line break of b, or
// len(b).
func lineBreak(b []byte, i int) int {
	end := len(b)
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		end = i + n
	}
	if n := bytes.IndexByte(b[i:end], '\r'); n >= 0 {
		end = i + n
	}
	return end
}

// toLineEnd reads to the end of the line or of b.
func (s *Stream) toLineEnd(b []byte, i int) int {
	end := lineBreak(b, i)
	if s.state == lineData && end > i {
		s.Feed(b[i:end])
	}
	if end < len(b) {
		return s.lineEnd(b, end)
	}
	return end
}

// lineEnd takes the line break at b[i] and returns the index after it.
func (s *Stream) lineEnd(b []byte, i int) int {
	s.state = lineStart
	if b[i] == '\n' {
		return i + 1
	}
	if i++; i < len(b) {
		if b[i] == '\n' {
			i++
		}
		return i
	}
	s.skipLF = true
	return i
}

// endFrame acts on a whole frame.
func (s *Stream) endFrame() FrameKind {
	kind := FrameOther
	s.UsageOnly = false
	switch {
	case s.done:
		kind = FrameDone
		s.Done = true
	case s.data:
		kind = FrameData
		if s.doc.failed {
			kind = FrameError
		}
		s.UsageOnly = s.doc.hasUsage && !s.doc.hasChoice && !s.doc.failed
	}
	if s.data {
		s.EndDocument()
	}
	s.edge = s.skipLF
	s.begun, s.data, s.done = false, false, false
	return kind
}

// End says that the answer has ended. A frame that lacks its blank line ends
// with it; FrameNone: there was none.
func (s *Stream) End() FrameKind {
	if !s.begun {
		return FrameNone
	}
	if s.state == lineDone && s.match == len(terminator) {
		s.done = true
	}
	return s.endFrame()
}

// Inside reports whether the last byte scanned lies inside a frame.
func (s *Stream) Inside() bool { return s.begun }

// Shown reports whether the frame that is being read is known to be none that
// would be hidden: it has a choice, or an error.
func (s *Stream) Shown() bool { return s.doc.hasChoice || s.doc.failed }

// MayEnd reports whether the frame that is being read may be the terminator.
func (s *Stream) MayEnd() bool {
	return s.done || !s.data || s.state == lineFirst || s.state == lineDone
}
