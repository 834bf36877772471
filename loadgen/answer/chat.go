package answer

// A chat is what the checker needs of an OpenAI chat completion or of one of
// its chunks.
type chat struct {
	from, to int  // the content is b[from:to], still escaped; equal when there is none
	first    bool // it belongs to the choice with index 0
	failed   bool // there is an "error" member that is not null
}

// scanChat reads b, which must be one JSON object. part is the member of a
// choice that carries the content: "delta" in a chunk, "message" in a whole
// answer. The content of the first choice wins; a chunk for another choice
// tells only that content came.
func scanChat(b []byte, part string) (ch chat, ok bool) {
	c := cursor{b: b}
	c.enter('{')
	for first := true; !c.bad && c.more('}', first); first = false {
		from, to := c.key()
		switch {
		case keyIs(b[from:to], "choices") && c.peek() == '[':
			c.enter('[')
			for head := true; !c.bad && c.more(']', head); head = false {
				if c.peek() == '{' {
					c.choice(part, &ch)
				} else {
					c.skip()
				}
			}
		case keyIs(b[from:to], "error"):
			ch.failed = c.peek() != 'n' // anything but null
			c.skip()
		default:
			c.skip()
		}
	}
	return ch, c.atEnd()
}

func (c *cursor) choice(part string, ch *chat) {
	var from, to int
	index0 := true // a choice without an index is taken for the first
	c.enter('{')
	for first := true; !c.bad && c.more('}', first); first = false {
		kf, kt := c.key()
		switch {
		case keyIs(c.b[kf:kt], "index"):
			c.space()
			at := c.i
			c.skip()
			index0 = !c.bad && string(c.b[at:c.i]) == "0"
		case keyIs(c.b[kf:kt], part) && c.peek() == '{':
			from, to = c.message()
		default:
			c.skip()
		}
	}
	if from < to && (ch.from == ch.to || index0 && !ch.first) {
		ch.from, ch.to, ch.first = from, to, index0
	}
}

// message reads a message or delta and says where its content text is.
func (c *cursor) message() (from, to int) {
	c.enter('{')
	for first := true; !c.bad && c.more('}', first); first = false {
		kf, kt := c.key()
		if !keyIs(c.b[kf:kt], "content") {
			c.skip()
			continue
		}
		if c.peek() == '"' {
			from, to = c.str()
		} else {
			from, to = 0, 0
			c.skip()
		}
	}
	return from, to
}

// keyIs compares an escaped member name with a plain one.
func keyIs(raw []byte, name string) bool {
	if len(raw) == len(name) {
		return string(raw) == name
	}
	if len(raw) < len(name) {
		return false
	}
	m := matcher{want: name}
	m.text(raw)
	return m.whole()
}
