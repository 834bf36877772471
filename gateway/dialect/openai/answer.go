package openai

// Answer keeps what the gateway reads of one answer. It is fed the JSON of a
// whole answer, or of one frame of a stream after another, in pieces split
// anywhere, and checks nothing: what it cannot read it does not count.
//
// Output characters are those of content, refusal, reasoning, and of the names
// and arguments of calls, over all choices. Where a chunk holds the same text
// under two names (reasoning and reasoning_content, a choice's text beside its
// delta), the longer counts.
type Answer struct {
	Usage
	Finish Finish
	Chars  int64 // output characters of ended documents
	Frames int64 // ended documents with output characters
	Calls  int64 // calls of tools begun
	Failed bool  // an error object was seen
	// UsageChars is Chars as it was when the last document with usage ended:
	// what came after it is not in that usage.
	UsageChars int64

	// KeepText collects the content, decoded, of all choices as it arrives.
	KeepText bool
	Text     []byte

	doc   document
	shape shape

	callSeen [2]uint64 // begun calls by choice and index
	choiceNo int64
	callNo   int64 // index of the call that is read, -1: none told
	callNew  bool  // it has an id or a name
}

// Reset makes a ready for another answer and keeps the memory of Text.
func (a *Answer) Reset() {
	a.Usage, a.Finish, a.Chars, a.Frames, a.Calls, a.Failed, a.UsageChars = Usage{}, FinishNone, 0, 0, 0, false, 0
	a.KeepText, a.Text = false, a.Text[:0]
	a.doc = document{}
	a.shape.forget()
	a.callSeen, a.choiceNo, a.callNo, a.callNew = [2]uint64{}, 0, 0, false
}

// Feed reads on.
func (a *Answer) Feed(b []byte) {
	d := &a.doc
	i := a.enter(b)
	d.begun = true
	for i < len(b) {
		switch d.state {
		case docString:
			i = a.inString(b, i)
		case docToken:
			i = a.inToken(b, i)
		default:
			i = a.between(b, i)
		}
	}
	a.learn(b)
}

// EndDocument says that a document has ended, whole or not.
func (a *Answer) EndDocument() {
	d := &a.doc
	if d.state == docToken {
		a.endToken()
	}
	if n := a.Pending(); n > 0 {
		a.Chars += n
		a.Frames++
	}
	if d.hasUsage {
		a.UsageChars = a.Chars
	}
	*d = document{}
}

// Pending is the output characters of the document that is being read.
func (a *Answer) Pending() int64 {
	d := &a.doc
	return max(d.chars, d.text) + max(d.reason, d.reasonOther)
}

// between reads from between two values up to the next string or word.
func (a *Answer) between(b []byte, i int) int {
	d := &a.doc
	if d.skip > 0 {
		return a.skipping(b, i)
	}
	for ; i < len(b); i++ {
		switch c := b[i]; c {
		case ' ', '\n', '\r', '\t':
		case '"':
			d.state = docString
			a.beginString()
			if d.str == strCount {
				a.atText(b, i+1)
			}
			return i + 1
		case ':':
			d.key = false
		case ',':
			d.want = wantNone
			d.key = d.depth > 0 && d.isArray>>d.depth&1 == 0
		case '{', '[':
			a.open(c == '{')
			if d.skip > 0 {
				return i + 1
			}
		case '}', ']':
			a.shut()
		default:
			d.state = docToken
			d.number, d.notInteger = 0, false
			return i
		}
	}
	return i
}

// skipping passes over a value that is not read.
func (a *Answer) skipping(b []byte, i int) int {
	d := &a.doc
	for {
		if i = bracket(b, i); i == len(b) {
			return i
		}
		i++
		switch b[i-1] {
		case '"':
			j, _ := plain(b, i)
			for j < len(b) && b[j] < ' ' {
				j, _ = plain(b, j+1)
			}
			if j < len(b) && b[j] == '"' {
				i = j + 1
				continue
			}
			d.state, d.str, d.esc = docString, strSkip, 0
			return j
		case '{', '[':
			d.skip++
		default:
			if d.skip--; d.skip == 0 {
				return i
			}
		}
	}
}

// open enters an object or array.
func (a *Answer) open(object bool) {
	d := &a.doc
	n := nodeOther
	switch {
	case d.depth == 0:
		if object {
			n = nodeRoot
		}
	case d.isArray>>d.depth&1 != 0:
		if object {
			n = d.stack[d.depth-1].element()
		}
	case object:
		n = d.want.object()
	default:
		n = d.want.array()
	}
	switch {
	case d.want == wantError:
		a.Failed, d.failed, d.effect = true, true, true
	case n == nodeUsage:
		d.hasUsage, d.effect = true, true
	case n == nodeChoice:
		d.hasChoice = true
		a.choiceNo = 0
	case n == nodeCall:
		a.callNo, a.callNew = -1, false
	}
	d.want = wantNone
	if n == nodeOther || d.depth == len(d.stack) {
		d.skip = 1
		return
	}
	d.stack[d.depth] = n
	d.depth++
	d.isArray &^= 1 << d.depth
	if !object {
		d.isArray |= 1 << d.depth
	}
	d.key = object
}

// shut leaves an object or array.
func (a *Answer) shut() {
	d := &a.doc
	if d.depth == 0 {
		return
	}
	d.depth--
	d.key, d.want = false, wantNone
	if d.stack[d.depth] == nodeCall && a.callNew {
		a.countCall()
	}
}

// countCall counts a call unless its index was counted before.
func (a *Answer) countCall() {
	const perChoice = 16
	if a.callNo >= 0 && a.callNo < perChoice && a.choiceNo < 8 {
		at := a.choiceNo*perChoice + a.callNo
		bit := uint64(1) << (at & 63)
		if a.callSeen[at>>6]&bit != 0 {
			return
		}
		a.callSeen[at>>6] |= bit
	}
	a.Calls++
	a.doc.effect = true
}
