package mockupstream

// maxTextDepth bounds the nesting that textCount follows; strings below it
// are not counted.
const maxTextDepth = 256

// textCount counts the characters of a prompt for PromptChars4: those of all
// strings whose key, or the nearest key before them, is "content", "text" or
// "input". A \u escape is one character, a surrogate pair of them too. It
// looks at each byte, so it runs only when the script asks for it.
type textCount struct {
	chars int

	depth    int
	object   [maxTextDepth / 64]uint64 // bit d: the bracket that opened depth d+1 is {
	keyNext  bool
	inString bool
	isKey    bool
	text     bool // the nearest key is one of ours
	escape   int  // 0 none, 1 after \, 2 to 5 within \u: hexadecimal digits seen + 2
	low      bool // \uD…: the next digit tells a low surrogate
	key      [8]byte
	keyLen   int
}

func (t *textCount) reset() { *t = textCount{} }

// tokens is the count in tokens, at least one so that usage has no zero.
func (t *textCount) tokens() int { return max(1, (t.chars+3)/4) }

func (t *textCount) feed(b []byte) {
	for _, c := range b {
		switch {
		case t.inString:
			t.within(c)
		case c == '"':
			t.inString, t.isKey, t.keyLen = true, t.keyNext, 0
		case c == '{' || c == '[':
			t.push(c == '{')
		case c == '}' || c == ']':
			t.depth = max(t.depth-1, 0)
			t.keyNext = false
		case c == ',':
			t.keyNext = t.inObject()
		case c == ':':
			t.keyNext = false
		}
	}
}

func (t *textCount) push(object bool) {
	if d := t.depth; d < maxTextDepth {
		t.object[d/64] &^= 1 << (d % 64)
		if object {
			t.object[d/64] |= 1 << (d % 64)
		}
	}
	t.depth++
	t.keyNext = object
}

func (t *textCount) inObject() bool {
	d := t.depth - 1
	return d >= 0 && d < maxTextDepth && t.object[d/64]>>(d%64)&1 == 1
}

// within takes a byte of a string.
func (t *textCount) within(c byte) {
	switch {
	case t.escape == 1:
		t.escape = 0
		if c == 'u' {
			t.escape = 2
			return
		}
		t.char(c)
	case t.escape > 1:
		t.hex(c)
	case c == '\\':
		t.escape = 1
	case c == '"':
		t.inString = false
		if t.isKey {
			t.keyNext = false
			switch string(t.key[:t.keyLen]) {
			case "content", "text", "input":
				t.text = true
			default:
				t.text = false
			}
		}
	case c&0xc0 != 0x80: // not the later bytes of a UTF-8 sequence
		t.char(c)
	}
}

// hex takes a digit of a \u escape. D8 to DB begin a pair and are counted; DC
// to DF end one and are not.
func (t *textCount) hex(c byte) {
	switch t.escape {
	case 2:
		t.low = c == 'd' || c == 'D'
	case 3:
		t.low = t.low && (c >= 'c' && c <= 'f' || c >= 'C' && c <= 'F')
	}
	if t.escape++; t.escape == 6 {
		t.escape = 0
		if !t.low {
			t.char(0)
		}
	}
}

func (t *textCount) char(c byte) {
	if !t.isKey {
		if t.text {
			t.chars++
		}
		return
	}
	// A key too long for the buffer is none of ours; saturating at its end
	// makes it differ from them.
	if t.keyLen < len(t.key) {
		t.key[t.keyLen] = c
		t.keyLen++
	}
}
