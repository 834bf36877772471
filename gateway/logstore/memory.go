package logstore

import (
	"context"
	"sync"

	"github.com/tollgate-lab/tollgate/gateway/ledger"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// memory keeps the newest rows in a ring. It is the cheapest log that can be
// read back, and the floor of the others' costs.
type memory struct {
	writer   int32
	epoch    int64
	limit    int
	counters Counters

	mu      sync.Mutex
	ring    []logrow.Row // grows to limit, then row n stands at n % limit
	seq     int64
	dropped int64 // rows after Close
	closed  bool
}

func newMemory(rows int, writer int32, o options) *memory {
	return &memory{writer: writer, epoch: o.epoch, limit: rows, counters: o.counters}
}

func (m *memory) Awaits() bool { return false }

func (m *memory) Append(row *logrow.Row, _ logrow.Completion) bool {
	m.counters.Add(ledger.RowsAppended, 1)
	if m.keep(row) {
		m.counters.Add(ledger.RowsStored, 1)
	} else {
		m.counters.Add(ledger.RowsDropped, 1)
	}
	return false
}

func (m *memory) keep(row *logrow.Row) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		m.dropped++
		return false
	}
	var r *logrow.Row
	if len(m.ring) < m.limit {
		m.ring = append(m.ring, *row)
		r = &m.ring[len(m.ring)-1]
	} else {
		r = &m.ring[m.seq%int64(m.limit)]
		*r = *row
	}
	m.seq++
	r.Writer, r.Epoch, r.Seq = m.writer, m.epoch, m.seq
	return true
}

func (m *memory) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Stats{Appended: m.seq + m.dropped, Dropped: m.dropped, Stored: m.seq}
}

func (m *memory) Close(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

// rows copies what the ring holds, oldest first.
func (m *memory) rows() []logrow.Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]logrow.Row, 0, len(m.ring))
	at := 0
	if len(m.ring) == m.limit {
		at = int(m.seq % int64(m.limit))
	}
	out = append(out, m.ring[at:]...)
	return append(out, m.ring[:at]...)
}
