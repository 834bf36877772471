package answer

// A reader of JSON that allocates nothing: it says where values are, and
// whether the text is JSON at all (RFC 8259). It does not check UTF-8: text
// that matters is compared byte by byte anyway.

const maxDepth = 512 // of nested values; deeper is refused

// cursor is a place in a JSON text. bad is set at the first fault, and every
// method leaves it set.
type cursor struct {
	b     []byte
	i     int
	depth int
	bad   bool
}

func (c *cursor) space() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\n', '\r':
			c.i++
		default:
			return
		}
	}
}

// peek is the next byte that is no white space, 0 at the end.
func (c *cursor) peek() byte {
	c.space()
	if c.bad || c.i >= len(c.b) {
		return 0
	}
	return c.b[c.i]
}

// take consumes x, which must be next.
func (c *cursor) take(x byte) {
	if c.peek() != x {
		c.bad = true
		return
	}
	c.i++
}

// more reports whether another member or element of the container that ends
// with end follows, and consumes the comma or the end. first says that the
// container was just entered.
func (c *cursor) more(end byte, first bool) bool {
	switch x := c.peek(); {
	case x == end:
		c.i++
		c.depth--
		return false
	case first && x != 0:
		return true
	case x == ',':
		c.i++
		return true
	}
	c.bad = true
	return false
}

// enter consumes the opening byte of a container.
func (c *cursor) enter(open byte) {
	c.take(open)
	if c.depth++; c.depth > maxDepth {
		c.bad = true
	}
}

// key reads a member's name and colon.
func (c *cursor) key() (from, to int) {
	from, to = c.str()
	c.take(':')
	return from, to
}

// str reads a string; its text, still escaped, is b[from:to].
func (c *cursor) str() (from, to int) {
	c.take('"')
	if c.bad {
		return 0, 0
	}
	from = c.i
	n, ok := stringEnd(c.b[from:])
	if !ok || from+n >= len(c.b) {
		c.bad = true
		return 0, 0
	}
	c.i = from + n + 1
	return from, from + n
}

// stringEnd is the index of the quote that ends the string whose text starts
// at b, len(b) when there is none, and whether the text before is valid.
func stringEnd(b []byte) (int, bool) {
	for i := 0; i < len(b); i++ {
		switch x := b[i]; {
		case x == '"':
			return i, true
		case x < ' ':
			return i, false
		case x != '\\':
			continue
		}
		if i++; i >= len(b) {
			return len(b), false
		}
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			if _, ok := hex4(b[i+1:]); !ok {
				return i, false
			}
			i += 4
		default:
			return i, false
		}
	}
	return len(b), true
}

func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 4 {
		return 0, false
	}
	for _, x := range b[:4] {
		switch {
		case '0' <= x && x <= '9':
			r = r<<4 | rune(x-'0')
		case 'a' <= x && x <= 'f':
			r = r<<4 | rune(x-'a'+10)
		case 'A' <= x && x <= 'F':
			r = r<<4 | rune(x-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// skip passes over one value.
func (c *cursor) skip() {
	switch x := c.peek(); {
	case x == '{':
		c.enter('{')
		for first := true; !c.bad && c.more('}', first); first = false {
			c.key()
			c.skip()
		}
	case x == '[':
		c.enter('[')
		for first := true; !c.bad && c.more(']', first); first = false {
			c.skip()
		}
	case x == '"':
		c.str()
	case x == 't':
		c.word("true")
	case x == 'f':
		c.word("false")
	case x == 'n':
		c.word("null")
	default:
		c.number()
	}
}

func (c *cursor) word(w string) {
	if len(c.b)-c.i < len(w) || string(c.b[c.i:c.i+len(w)]) != w {
		c.bad = true
		return
	}
	c.i += len(w)
}

// number passes over a number: -? (0|[1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?
func (c *cursor) number() {
	if c.at('-') {
		c.i++
	}
	if c.at('0') {
		c.i++
	} else {
		c.digits()
	}
	if c.at('.') {
		c.i++
		c.digits()
	}
	if c.at('e') || c.at('E') {
		c.i++
		if c.at('+') || c.at('-') {
			c.i++
		}
		c.digits()
	}
}

func (c *cursor) at(x byte) bool { return c.i < len(c.b) && c.b[c.i] == x }

func (c *cursor) digits() {
	from := c.i
	for c.i < len(c.b) && '0' <= c.b[c.i] && c.b[c.i] <= '9' {
		c.i++
	}
	if c.i == from {
		c.bad = true
	}
}

// atEnd reports whether nothing but white space is left and no fault was met.
func (c *cursor) atEnd() bool {
	c.space()
	return !c.bad && c.i == len(c.b)
}
