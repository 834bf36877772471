package openai

// shape is what the chunks of one stream have in common. All but the text of
// a chunk is the same in one after another, byte for byte, so the bytes before
// and after the text are remembered with the state that reading them led to.
// Bytes that had an effect beyond their own document (usage, a finish reason,
// an error, a call, other text) are never remembered.
type shape struct {
	before, after     [256]byte
	beforeLen         int // 0: none is remembered
	afterLen          int // 0: none is remembered
	doc               document
	choiceNo, callNo  int64
	fresh             bool // the document that is read began with this piece
	textAt, textEndAt int  // of this piece; 0: not yet
}

// forget makes s ready for another stream; its half kilobyte need not be
// cleared for that.
func (s *shape) forget() { s.beforeLen, s.afterLen = 0, 0 }

// enter goes to where the text begins when b begins as the last chunk did. It
// returns how many bytes it passed over.
func (a *Answer) enter(b []byte) int {
	s := &a.shape
	s.textAt, s.textEndAt = 0, 0
	s.fresh = !a.doc.begun
	if !s.fresh || s.beforeLen == 0 || len(b) <= s.beforeLen || string(b[:s.beforeLen]) != string(s.before[:s.beforeLen]) {
		return 0
	}
	a.doc = s.doc
	a.choiceNo, a.callNo, a.callNew = s.choiceNo, s.callNo, false
	s.textAt = s.beforeLen
	return s.beforeLen
}

// atText remembers what came before the text that begins at b[i].
func (a *Answer) atText(b []byte, i int) {
	s, d := &a.shape, &a.doc
	if !s.fresh || s.textAt != 0 || d.want == wantCallName {
		return
	}
	s.textAt = i
	s.beforeLen, s.afterLen = 0, 0
	if !d.effect && i <= len(s.before) {
		s.beforeLen = copy(s.before[:], b[:i])
		s.doc = *d
		s.choiceNo, s.callNo = a.choiceNo, a.callNo
	}
}

// leave passes over what follows the text that ended before b[i] when it is
// what followed the last one.
func (a *Answer) leave(b []byte, i int) int {
	s, d := &a.shape, &a.doc
	if s.textAt == 0 || s.textEndAt != 0 {
		return i
	}
	s.textEndAt = i
	if s.afterLen == 0 || string(b[i:]) != string(s.after[:s.afterLen]) {
		return i
	}
	d.depth, d.key, d.want = 0, false, wantNone
	return len(b)
}

// learn remembers what followed the text of a document that ended with b.
func (a *Answer) learn(b []byte) {
	s, d := &a.shape, &a.doc
	if s.textEndAt == 0 || s.beforeLen == 0 || d.depth != 0 || d.state != docBetween || d.effect {
		return
	}
	if n := len(b) - s.textEndAt; n > 0 && n <= len(s.after) {
		s.afterLen = copy(s.after[:], b[s.textEndAt:])
	}
}
