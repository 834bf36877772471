package openai

import (
	"encoding/binary"
	"math/bits"
)

// MaxDepth is how deep a request body may nest. encoding/json stops at 10,000;
// this is the one difference between what Scan and json.Valid take for an
// object.
const MaxDepth = 512

// counting says which strings of a value are text that a model reads.
type counting uint8

const (
	countNone counting = iota
	countText          // strings of members whose name is a name of text
	countAll           // every string, and four characters for each number (a token id)
)

// syntax checks JSON values. It keeps no pointer into the body.
type syntax struct {
	// inObject has a bit for each open bracket: 1 for an object.
	inObject [MaxDepth / 64]uint64
	chars    int64 // characters counted
	tooDeep  bool
}

// blank is the index of the first byte at or after i that is no white space.
func blank(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// str reads a string whose opening quote is before i. It returns the index
// after the closing quote, or -1; chars is its length in characters, escapes
// says whether it has any. It is plain's loop with the escapes inside, since
// text with a line break in every line has an escape every forty bytes.
func str(b []byte, i int) (end int, chars int, escapes bool) {
	from, less := i, 0
	for {
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			q, s := x^quotes, x^backs
			m := ((q-ones)&^q | (s-ones)&^s | (x-spaces)&^x) & highs
			if m == 0 {
				if x&highs != 0 {
					less += continuations(x)
				}
				i += 8
				continue
			}
			n := bits.TrailingZeros64(m) >> 3
			if x&highs != 0 {
				less += continuations(x & (1<<(8*n) - 1))
			}
			i += n
			break
		}
		if i+8 > len(b) {
			j, cont := plain(b, i)
			if less += cont; j >= len(b) {
				return -1, 0, false
			}
			i = j
		}
		switch b[i] {
		case '"':
			return i + 1, i - from - less, escapes
		case '\\':
			escapes = true
			if i+1 < len(b) && shortEscape[b[i+1]] {
				less++
				i += 2
				continue
			}
			if escape(b, i) == 0 {
				return -1, 0, false
			}
			less += 5
			if lowSurrogate(b[i+2], b[i+3]) {
				less++ // the second half of one character
			}
			i += 6
		default: // a control character
			return -1, 0, false
		}
	}
}

// shortEscape has the characters that stand after a backslash alone.
var shortEscape = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// number is the index after the number at b[i], or -1.
func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return -1
	case b[i] == '0':
		i++
	default:
		j := digits(b, i)
		if j == i {
			return -1
		}
		i = j
	}
	if i < len(b) && b[i] == '.' {
		j := digits(b, i+1)
		if j == i+1 {
			return -1
		}
		i = j
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		j := digits(b, i)
		if j == i {
			return -1
		}
		i = j
	}
	return i
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// literal is the index after the word at b[i], or -1.
func literal(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

// value is the index after the value that begins at b[i], which is no white
// space, or -1. depth is the number of brackets already open around it.
func (s *syntax) value(b []byte, i, depth int, mode counting) int {
	base := depth
	text := mode == countAll // whether the next string counts
value:
	if i >= len(b) {
		return -1
	}
	switch c := b[i]; {
	case c == '"':
		end, chars, _ := str(b, i+1)
		if end < 0 {
			return -1
		}
		if text {
			s.chars += int64(chars)
		}
		i = end
	case c == '{':
		if depth == MaxDepth {
			s.tooDeep = true
			return -1
		}
		s.inObject[depth>>6] |= 1 << (depth & 63)
		depth++
		if i = blank(b, i+1); i < len(b) && b[i] == '}' {
			depth--
			i++
			break
		}
		goto member
	case c == '[':
		if depth == MaxDepth {
			s.tooDeep = true
			return -1
		}
		s.inObject[depth>>6] &^= 1 << (depth & 63)
		depth++
		if i = blank(b, i+1); i < len(b) && b[i] == ']' {
			depth--
			i++
			break
		}
		goto value
	case c == '-' || c-'0' <= 9:
		if i = number(b, i); i < 0 {
			return -1
		}
		if mode == countAll {
			s.chars += 4
		}
	case c == 't':
		if i = literal(b, i, "true"); i < 0 {
			return -1
		}
	case c == 'f':
		if i = literal(b, i, "false"); i < 0 {
			return -1
		}
	case c == 'n':
		if i = literal(b, i, "null"); i < 0 {
			return -1
		}
	default:
		return -1
	}
after:
	if depth == base {
		return i
	}
	if i < len(b) && b[i] <= ' ' {
		i = blank(b, i)
	}
	if i >= len(b) {
		return -1
	}
	if top := depth - 1; s.inObject[top>>6]>>(top&63)&1 != 0 {
		switch b[i] {
		case ',':
			i = blank(b, i+1)
			goto member
		case '}':
			depth--
			i++
			goto after
		}
		return -1
	}
	switch b[i] {
	case ',':
		i = blank(b, i+1)
		goto value
	case ']':
		depth--
		i++
		goto after
	}
	return -1
member:
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	end, _, _ := str(b, i+1)
	if end < 0 {
		return -1
	}
	if mode == countText {
		text = textName(b[i+1 : end-1])
	}
	if i = end; i < len(b) && b[i] <= ' ' {
		i = blank(b, i)
	}
	if i >= len(b) || b[i] != ':' {
		return -1
	}
	if i++; i < len(b) && b[i] <= ' ' {
		i = blank(b, i)
	}
	goto value
}

// textName reports whether a member of a message holds text that the model
// reads. Pictures, sound and files do not cost by their length as text.
func textName(k []byte) bool {
	switch len(k) {
	case 4:
		return string(k) == "text" || string(k) == "name"
	case 7:
		return string(k) == "content" || string(k) == "refusal"
	case 9:
		return string(k) == "arguments" || string(k) == "reasoning"
	case 17:
		return string(k) == "reasoning_content"
	}
	return false
}
