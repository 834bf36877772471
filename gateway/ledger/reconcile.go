package ledger

// Forfeit is what a dead worker had reserved: it stays charged, because nobody
// can say how much of it was used.
type Forfeit struct{ Reservations, Nano, Tok int64 }

// Reconcile closes the books of a slot whose worker is dead: what was in
// flight is lost, what was reserved is forfeited, and rows that the worker had
// taken but not reported are counted as such. The slot's next worker goes on
// from there.
func (s Slot) Reconcile(f Forfeit) {
	s.Add(Lost, s.take(InFlight))
	s.take(OpenReservations)
	s.Add(Forfeited, f.Reservations)
	s.Add(ForfeitedNano, f.Nano)
	s.Add(ForfeitedTok, f.Tok)
	reported := s.Load(RowsDropped) + s.Load(RowsStored) + s.Load(RowsFailed) + s.Load(RowsUnreported)
	if missing := s.Load(RowsAppended) - reported; missing > 0 {
		s.Add(RowsUnreported, missing)
	}
}

// Zero forgets all: a gateway begins with empty sums.
func (s Slot) Zero() {
	for i := range s.words {
		s.words[i].Store(0)
	}
}

func (s Slot) take(c Counter) int64 { return s.words[c].Swap(0) }
