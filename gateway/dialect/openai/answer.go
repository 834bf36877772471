package openai

import "unicode/utf8"

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

	doc document

	callSeen [2]uint64 // begun calls by choice and index
	choiceNo int64
	callNo   int64 // index of the call that is read, -1: none told
	callNew  bool  // it has an id or a name
}

// document is the reading of one JSON text.
type document struct {
	stack      [12]node // open brackets that are read
	depth      int      // how many
	isArray    uint16   // bit per depth
	skip       int      // open brackets of a value that is not read
	state      docState
	key        bool // the next string is a member's name
	want       want
	str        strKind
	esc        uint8 // inside an escape: 1 after the backslash, 2 to 5 hexadecimal digits
	unit       rune  // the \u escape that is read
	high       rune  // a first surrogate that waits for its second
	nameLen    int   // bytes kept of a name or value; maxName+1: too long
	name       [maxName]byte
	number     int64
	notInteger bool

	chars, text, reason, reasonOther int64
	hasChoice, hasUsage, failed      bool
}

type docState uint8

const (
	docBetween docState = iota
	docString
	docToken // number or word
)

// strKind says what the string that is read is for.
type strKind uint8

const (
	strSkip strKind = iota
	strName
	strCount
	strKeep // the bytes of a short value
)

// Reset makes a ready for another answer and keeps the memory of Text.
func (a *Answer) Reset() {
	text := a.Text[:0]
	*a = Answer{Text: text}
}

// Feed reads on.
func (a *Answer) Feed(b []byte) {
	d := &a.doc
	for i := 0; i < len(b); {
		switch d.state {
		case docString:
			i = a.inString(b, i)
		case docToken:
			i = a.inToken(b, i)
		default:
			i = a.between(b, i)
		}
	}
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
		a.Failed, d.failed = true, true
	case n == nodeUsage:
		d.hasUsage = true
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
}

// beginString decides what the string that begins is for.
func (a *Answer) beginString() {
	d := &a.doc
	d.esc, d.high, d.nameLen = 0, 0, 0
	switch {
	case d.key:
		d.str = strName
	case d.want == wantNone:
		d.str = strSkip
	default:
		switch d.want {
		case wantText, wantChoiceText, wantReason, wantReasonOther, wantArguments, wantCallName:
			d.str = strCount
		case wantFinish, wantCallID, wantError:
			d.str = strKeep
		default:
			d.str = strSkip
		}
	}
}

// inString reads on in a string.
func (a *Answer) inString(b []byte, i int) int {
	d := &a.doc
	for i < len(b) {
		if d.esc != 0 {
			a.inEscape(b[i])
			i++
			continue
		}
		j, cont := plain(b, i)
		if run := b[i:j]; len(run) > 0 {
			if j < len(b) && b[j] == '"' && d.str == strName && d.nameLen == 0 {
				d.want = d.stack[d.depth-1].member(run)
				d.state, d.key = docBetween, false
				return j + 1
			}
			a.run(run, cont)
		}
		if i = j; i == len(b) {
			return i
		}
		c := b[i]
		i++
		switch c {
		case '"':
			a.endString()
			return i
		case '\\':
			d.esc = 1
		default:
			a.run(b[i-1:i], 0)
		}
	}
	return i
}

// run takes characters of a string that stand for themselves.
func (a *Answer) run(run []byte, cont int) {
	d := &a.doc
	switch d.str {
	case strCount:
		a.count(int64(len(run) - cont))
		if a.KeepText && d.want == wantText {
			a.Text = append(a.Text, run...)
		}
	case strName, strKeep:
		if d.nameLen+len(run) > maxName {
			d.nameLen = maxName + 1
			return
		}
		d.nameLen += copy(d.name[d.nameLen:], run)
	}
}

func (a *Answer) count(n int64) {
	d := &a.doc
	switch d.want {
	case wantReason:
		d.reason += n
	case wantReasonOther:
		d.reasonOther += n
	case wantChoiceText:
		d.text += n
	case wantCallName:
		a.callNew = true
		d.chars += n
	default:
		d.chars += n
	}
}

// inEscape reads one byte of an escape.
func (a *Answer) inEscape(c byte) {
	d := &a.doc
	switch {
	case d.esc == 1 && c == 'u':
		d.esc, d.unit = 2, 0
		return
	case d.esc == 1:
		d.esc = 0
		d.nameLen = maxName + 1 // names that we know have no escapes
		a.escaped(rune(plainEscape(c)), 1)
		return
	}
	d.unit = d.unit<<4 | rune(hex(c)&15)
	if d.esc++; d.esc < 6 {
		return
	}
	d.esc = 0
	d.nameLen = maxName + 1
	switch {
	case 0xD800 <= d.unit && d.unit < 0xDC00:
		d.high = d.unit
		a.escaped(-1, 1)
	case 0xDC00 <= d.unit && d.unit < 0xE000:
		r := rune(utf8.RuneError)
		if d.high != 0 {
			r = 0x10000 + (d.high-0xD800)<<10 + (d.unit - 0xDC00)
			d.high = 0
		}
		a.escaped(r, 0)
	default:
		a.escaped(d.unit, 1)
	}
}

// escaped takes a character that was written as an escape: r, or -1 while its
// second half is awaited.
func (a *Answer) escaped(r rune, n int64) {
	d := &a.doc
	if d.str != strCount {
		return
	}
	a.count(n)
	if a.KeepText && d.want == wantText && r >= 0 {
		a.Text = utf8.AppendRune(a.Text, r)
	}
}

// endString acts on a whole string.
func (a *Answer) endString() {
	d := &a.doc
	d.state = docBetween
	short := d.nameLen <= maxName
	switch d.str {
	case strName:
		d.key, d.want = false, wantNone
		if short {
			d.want = d.stack[d.depth-1].member(d.name[:d.nameLen])
		}
		return
	case strKeep:
		switch {
		case d.want == wantCallID && d.nameLen > 0:
			a.callNew = true
		case d.want == wantError && d.nameLen > 0:
			a.Failed, d.failed = true, true
		case d.want == wantFinish && !short:
			a.Finish = FinishOther
		case d.want == wantFinish && d.nameLen > 0:
			a.Finish = finishOf(d.name[:d.nameLen])
		}
	}
	d.want = wantNone
}

// inToken reads on in a number or word.
func (a *Answer) inToken(b []byte, i int) int {
	d := &a.doc
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c-'0' <= 9:
			if d.number > 1<<53 {
				d.notInteger = true
			} else {
				d.number = d.number*10 + int64(c-'0')
			}
		case c == ',', c == '}', c == ']', c == ' ', c == '\n', c == '\r', c == '\t', c == ':', c == '"', c == '{', c == '[':
			a.endToken()
			return i
		default:
			d.notInteger = true
		}
	}
	return i
}

// endToken acts on a whole number or word.
func (a *Answer) endToken() {
	d := &a.doc
	d.state = docBetween
	w := d.want
	d.want = wantNone
	if d.notInteger || w == wantNone {
		return
	}
	switch n := d.number; w {
	case wantPrompt:
		a.PromptTok, a.HasPrompt = n, true
	case wantOutput:
		a.OutputTok, a.HasOutput = n, true
	case wantTotal:
		a.TotalTok, a.HasTotal = n, true
	case wantCached:
		a.CachedTok = n
	case wantReasoningTok:
		a.ReasoningTok = n
	case wantIndex:
		if d.depth > 0 && d.stack[d.depth-1] == nodeCall {
			a.callNo = n
		} else {
			a.choiceNo = n
		}
	}
}
