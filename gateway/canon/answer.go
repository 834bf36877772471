package canon

// Answer is a whole answer: what its events add up to. Its strings are Raw.
type Answer struct {
	Meta       Meta
	Candidates []Candidate
	Usage      Usage
	Err        *Error
	Ended      bool // EvEnd was seen
}

// Candidate is one of the answers asked for; most requests ask for one.
type Candidate struct {
	Parts  []AnswerPart
	Finish Finish
	Ended  bool // EvFinish was seen
}

// AnswerPart is a part of a candidate.
type AnswerPart struct {
	Type  PartType
	Text  Raw // text, thinking, refusal, arguments of a call, data of audio
	Sign  Raw
	ID    Raw
	Name  Raw
	Notes []Note
	Media *Media
	JSON  []byte // of an Opaque part
	From  string
	Open  bool
}

// Note is a JSON value attached to a part.
type Note struct {
	Kind NoteKind
	JSON []byte
	From string
	// At is the length of the part's Text when the note came.
	At int
}

// Calls counts the calls of tools.
func (c *Candidate) Calls() (n int) {
	for i := range c.Parts {
		if c.Parts[i].Type == ToolCall {
			n++
		}
	}
	return n
}

// Accumulator adds events up to an Answer. It is used again after Reset, and
// then allocates only where an answer is longer than those before.
//
// Events that break the rules (a delta of a part that is not open) are taken as
// they are meant where that is plain, and dropped otherwise: what it is fed
// comes from decoders, which keep the rules.
type Accumulator struct{ a Answer }

// Answer is the answer so far. It is valid until the next Reset.
func (c *Accumulator) Answer() *Answer { return &c.a }

// Reset begins another answer.
func (c *Accumulator) Reset() {
	for i := range c.a.Candidates {
		c.a.Candidates[i].Parts = c.a.Candidates[i].Parts[:0]
	}
	m := c.a.Meta
	c.a = Answer{Candidates: c.a.Candidates[:0], Meta: Meta{ID: m.ID[:0], Model: m.Model[:0], Tier: m.Tier[:0], Print: m.Print[:0]}}
}

// maxCandidates bounds what a provider's index can make us allocate.
const maxCandidates = 256

// candidate is the candidate i, made when it is new; nil: i is out of range.
func (c *Accumulator) candidate(i int32) *Candidate {
	if i < 0 || i >= maxCandidates {
		return nil
	}
	for n := len(c.a.Candidates); n <= int(i); n++ {
		if n < cap(c.a.Candidates) {
			c.a.Candidates = c.a.Candidates[:n+1]
			d := &c.a.Candidates[n]
			*d = Candidate{Parts: d.Parts[:0], Finish: Finish{Sequence: d.Finish.Sequence[:0], Native: d.Finish.Native[:0]}}
			continue
		}
		c.a.Candidates = append(c.a.Candidates, Candidate{})
	}
	return &c.a.Candidates[i]
}

// part is the part of e, nil when it was not opened.
func (c *Accumulator) part(e *Event) *AnswerPart {
	if uint(e.Choice) < uint(len(c.a.Candidates)) {
		if parts := c.a.Candidates[e.Choice].Parts; uint(e.Part) < uint(len(parts)) {
			return &parts[e.Part]
		}
	}
	return nil
}

// Add takes one event.
func (c *Accumulator) Add(e *Event) {
	switch e.Kind {
	case EvDelta:
		if p := c.part(e); p != nil {
			p.Text = append(p.Text, e.Text...)
		}
	case EvStart:
		m := &c.a.Meta
		m.ID, m.Model = append(m.ID[:0], e.Meta.ID...), append(m.Model[:0], e.Meta.Model...)
		m.Tier, m.Print = append(m.Tier[:0], e.Meta.Tier...), append(m.Print[:0], e.Meta.Print...)
		m.Created = e.Meta.Created
	case EvOpen:
		c.open(e)
	case EvSign:
		if p := c.part(e); p != nil {
			p.Sign = append(p.Sign, e.Text...)
		}
	case EvNote:
		if p := c.part(e); p != nil {
			p.Notes = append(p.Notes, Note{Kind: e.Note, JSON: append([]byte(nil), e.JSON...), From: e.From, At: len(p.Text)})
		}
	case EvClose:
		if p := c.part(e); p != nil {
			p.Open = false
		}
	case EvFinish:
		if d := c.candidate(e.Choice); d != nil {
			d.Ended = true
			d.Finish.Reason = e.Finish.Reason
			d.Finish.Sequence = append(d.Finish.Sequence[:0], e.Finish.Sequence...)
			d.Finish.Native = append(d.Finish.Native[:0], e.Finish.Native...)
		}
	case EvUsage:
		c.a.Usage.Merge(e.Usage)
	case EvError:
		c.a.Err = e.Err
	case EvEnd:
		c.a.Ended = true
	}
}

func (c *Accumulator) open(e *Event) {
	d := c.candidate(e.Choice)
	if d == nil || int(e.Part) != len(d.Parts) {
		return
	}
	if n := len(d.Parts); n < cap(d.Parts) {
		d.Parts = d.Parts[:n+1]
	} else {
		d.Parts = append(d.Parts, AnswerPart{})
	}
	p := &d.Parts[e.Part]
	*p = AnswerPart{
		Type: e.Type, Open: true, Text: append(p.Text[:0], e.Text...), Sign: p.Sign[:0],
		ID: append(p.ID[:0], e.ID...), Name: append(p.Name[:0], e.Name...), Notes: p.Notes[:0], Media: e.Media, From: e.From,
	}
	if len(e.JSON) > 0 {
		p.JSON = append([]byte(nil), e.JSON...)
	}
}
