package mockupstream

import "github.com/tollgate-lab/tollgate/results/contract"

// ending is what happens to the connection once the bytes are out.
type ending uint8

const (
	endOpen  ending = iota // as the request's mode says
	endReset               // the connection is reset
	endShort               // the connection is closed in order
	endStall               // nothing, until the peer leaves
)

// delivery is one message on its way: how much of it is written, when, and
// what follows.
type delivery struct {
	m        *message
	wire     []byte // m.wire, or a copy with the slots filled in
	whole    int    // length of the answer as asked for: a HEAD's has no body
	cut      int    // length that is written
	tail     string // written after the cut
	end      ending
	fault    *fault
	coalesce bool
	timing   *Timing // nil: no waits
	draw     uint64  // key of the waits' draws
}

// apply turns the fault into lengths and an ending.
func (d *delivery) apply(md mode) {
	d.cut = d.whole
	f := d.fault
	if f == nil {
		return
	}
	switch f.Kind {
	case FaultStatus:
		d.m = f.answer[md]
		d.wire = d.m.wire
		d.whole = len(d.wire)
		d.cut = d.whole
		return
	case FaultUnterminated:
		d.cut, d.tail = d.m.unterminated(), d.m.trailer
		return
	case FaultReset:
		d.end = endReset
	case FaultStall:
		d.end = endStall
	case FaultShort:
		d.end = endShort
	}
	switch {
	case f.AfterFrames > 0 || f.Kind == FaultShort:
		d.cut = d.m.afterFrames(f.AfterFrames)
	default:
		d.cut = 0
	}
}

// deliver writes the message and fills in the outcome. armed says that the
// shard already expects the last write. It reports whether the connection can
// go on.
func (c *conn) deliver(d *delivery, o *outcome, armed bool) bool {
	st, m := &o.stamp, d.m
	n, err := c.writeOut(d, st, armed)
	if n > 0 {
		o.status = m.status
	}
	if m.stream {
		st.Frames = uint32(m.framesWithin(n))
		st.Tokens = st.Frames
	}
	if d.fault != nil {
		st.Flags |= contract.StampFaulted
	}
	if err == nil && d.end == endOpen && n == d.whole {
		st.Flags |= contract.StampAnswered
		st.Tokens = uint32(m.output)
		return true
	}
	if m.stream {
		o.aborted = int(st.Frames)
	}
	switch {
	case err != nil:
		if !c.stopped.Load() {
			st.Flags |= contract.StampPeerLeft
		}
	case d.end == endReset:
		c.reset()
	case d.end == endStall && c.awaitPeer():
		st.Flags |= contract.StampPeerLeft
	}
	return err == nil && d.end == endOpen
}

// writeOut writes the message up to its cut and returns how many of its bytes
// the kernel accepted.
func (c *conn) writeOut(d *delivery, st *contract.MockStamp, armed bool) (sent int, err error) {
	if d.timing != nil {
		if w := d.timing.First.draw(d.draw); w > 0 {
			if err := c.wait(st.Received + w); err != nil {
				return 0, err
			}
		}
	}
	if d.cut == 0 {
		return 0, nil
	}
	if !armed && (d.coalesce || len(d.m.ends) == 1) {
		c.shard.lastWrite()
	}
	if d.coalesce || len(d.m.ends) == 1 {
		now := contract.Now()
		st.FirstSent, st.LastSent = now, now
		if !d.m.stream || d.m.framesWithin(d.cut) > 0 {
			st.FirstContent = now
		}
		sent, err = c.send(d.wire[:d.cut])
	} else {
		sent, err = c.writeFrames(d, st, armed)
	}
	if err == nil && d.tail != "" {
		st.LastSent = contract.Now()
		_, err = c.send([]byte(d.tail))
	}
	return sent, err
}

// writeFrames writes a stream up to its cut, a write per frame.
func (c *conn) writeFrames(d *delivery, st *contract.MockStamp, armed bool) (sent int, err error) {
	m := d.m
	for i, end := range m.ends {
		if sent == d.cut {
			break
		}
		if d.timing != nil && i > m.first && i < m.first+m.frames {
			if w := d.timing.Gap.draw(d.draw + uint64(i)); w > 0 {
				if err := c.wait(st.LastSent + w); err != nil {
					return sent, err
				}
			}
		}
		if !armed && end == d.cut {
			c.shard.lastWrite()
		}
		now := contract.Now()
		switch i {
		case 0:
			st.FirstSent = now
		case m.first:
			st.FirstContent = now
		}
		st.LastSent = now
		n, err := c.send(d.wire[sent:end])
		sent += n
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}
