package openai

import "unicode/utf8"

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
			d.effect = d.effect || d.hasText
			d.hasText = true
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
			if d.str == strCount {
				i = a.leave(b, i)
			}
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
		a.lone()
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
		a.lone()
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
		a.lone()
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
		a.lone()
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

// lone puts U+FFFD for a first surrogate whose second did not come.
func (a *Answer) lone() {
	if a.doc.high != 0 {
		a.doc.high = 0
		a.escaped(utf8.RuneError, 0)
	}
}

// endString acts on a whole string.
func (a *Answer) endString() {
	d := &a.doc
	a.lone()
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
		d.effect = d.effect || d.nameLen > 0
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
	if w != wantIndex {
		d.effect = true
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
