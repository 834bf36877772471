package canon

// Sequencer makes the parts of each candidate come one after another. Some
// dialects let parts overlap (calls whose fragments alternate); in others a
// part must end before the next begins. The part that was opened first is
// passed through as it comes; of the others the events are kept until it is
// their turn.
type Sequencer struct {
	lanes []lane
	text  []byte // of the kept events
}

// lane is one candidate's state.
type lane struct {
	choice  int32
	open    bool
	current int32 // the part that is passed through
	kept    []Event
	spans   []span // of kept events' slices, in Sequencer.text
}

type span struct{ text, textEnd, id, idEnd, name, nameEnd, json, jsonEnd int }

// Reset begins another answer.
func (s *Sequencer) Reset() {
	for i := range s.lanes {
		s.lanes[i].kept, s.lanes[i].spans = s.lanes[i].kept[:0], s.lanes[i].spans[:0]
	}
	s.lanes, s.text = s.lanes[:0], s.text[:0]
}

func (s *Sequencer) lane(choice int32) *lane {
	for i := range s.lanes {
		if s.lanes[i].choice == choice {
			return &s.lanes[i]
		}
	}
	if n := len(s.lanes); n < cap(s.lanes) {
		s.lanes = s.lanes[:n+1]
		l := &s.lanes[n]
		*l = lane{choice: choice, kept: l.kept[:0], spans: l.spans[:0]}
		return l
	}
	s.lanes = append(s.lanes, lane{choice: choice})
	return &s.lanes[len(s.lanes)-1]
}

// Pass calls out for e, or keeps it, and for what can follow it. Each event
// that out is called with is valid until it returns.
func (s *Sequencer) Pass(e *Event, out func(*Event)) {
	switch e.Kind {
	case EvOpen, EvDelta, EvSign, EvNote, EvClose:
	case EvFinish:
		// Nothing of the candidate can follow.
		if l := s.lane(e.Choice); len(l.kept) > 0 || l.open {
			s.release(l, out, true)
		}
		out(e)
		return
	default:
		out(e)
		return
	}
	l := s.lane(e.Choice)
	switch {
	case !l.open && e.Kind == EvOpen:
		l.open, l.current = true, e.Part
		out(e)
	case l.open && e.Part == l.current:
		out(e)
		if e.Kind == EvClose {
			l.open = false
			s.release(l, out, false)
		}
	default:
		s.keep(l, e)
	}
}

func (s *Sequencer) keep(l *lane, e *Event) {
	put := func(b []byte) (int, int) {
		at := len(s.text)
		s.text = append(s.text, b...)
		return at, len(s.text)
	}
	var p span
	p.text, p.textEnd = put(e.Text)
	p.id, p.idEnd = put(e.ID)
	p.name, p.nameEnd = put(e.Name)
	p.json, p.jsonEnd = put(e.JSON)
	k := *e
	k.Text, k.ID, k.Name, k.JSON = nil, nil, nil, nil
	l.kept, l.spans = append(l.kept, k), append(l.spans, p)
}

// release passes kept events on: those of the part opened first until it is
// still open with nothing kept, then those of the next. With all, open parts are
// closed and everything goes.
func (s *Sequencer) release(l *lane, out func(*Event), all bool) {
	if all && l.open {
		out(&Event{Kind: EvClose, Choice: l.choice, Part: l.current})
		l.open = false
	}
	for !l.open && len(l.kept) > 0 {
		if l.kept[0].Kind != EvOpen { // of a part that was never opened, or is closed
			l.kept, l.spans = l.kept[1:], l.spans[1:]
			continue
		}
		part := l.kept[0].Part
		l.open, l.current = true, part
		rest := 0
		for i := range l.kept {
			e, p := l.kept[i], l.spans[i]
			if e.Part != part || !l.open {
				l.kept[rest], l.spans[rest] = e, p
				rest++
				continue
			}
			e.Text, e.ID, e.Name, e.JSON = s.text[p.text:p.textEnd], s.text[p.id:p.idEnd], s.text[p.name:p.nameEnd], s.text[p.json:p.jsonEnd]
			out(&e)
			l.open = e.Kind != EvClose
		}
		l.kept, l.spans = l.kept[:rest], l.spans[:rest]
		if all && l.open {
			out(&Event{Kind: EvClose, Choice: l.choice, Part: l.current})
			l.open = false
		}
	}
}
