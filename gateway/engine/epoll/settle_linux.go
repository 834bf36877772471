package epoll

import "github.com/tollgate-lab/tollgate/gateway/exchange"

// What a batch of events has made to be sent leaves together, behind its last
// event: first the requests, then the answers. Sending is the dearest thing
// that a loop does, and most of it is the kernel's. One send behind another
// finds the kernel's code in the cache and the receiver still awake; with the
// reading, parsing and scanning of other events between them, neither.

// settleEvery bounds how many events the first answer of a batch waits for.
const settleEvery = 64

// debt is a stretch of loop.out, and of loop.segs, that a client is owed.
type debt struct {
	c           *client
	life        int
	out, outEnd int
	seg, segEnd int
}

// settle sends what the batch has made, and what comes of that at once.
func (l *loop) settle() {
	for len(l.asks)+len(l.owed) > 0 {
		for i := 0; i < len(l.asks); i++ {
			l.ask(l.asks[i])
			l.asks[i] = nil
		}
		l.asks = l.asks[:0]
		// Paying a client may let its next request begin, and be answered.
		for i := 0; i < len(l.owed); i++ {
			l.pay(l.owed[i])
			l.owed[i].c = nil
		}
		l.owed = l.owed[:0]
		l.out, l.segs, l.outAt, l.segAt = l.out[:0], l.segs[:0], 0, 0
	}
	if cap(l.out) > gatherKeep {
		l.out = make([]byte, 0, direct)
	}
}

// ask sends a request, unless its connection was closed meanwhile or has sent
// it already.
func (l *loop) ask(u *upstream) {
	c := u.c
	if u.phase != upSending || u.sent > 0 || c == nil {
		return
	}
	defer l.rescue(c)
	if f := u.send(); f != exchange.FaultNone {
		u.tell(c, f)
		c.after()
	}
}

func (l *loop) pay(d debt) {
	c := d.c
	if c.life != d.life || c.phase == phaseClosed {
		return
	}
	defer l.rescue(c)
	c.owed--
	c.owedBytes -= d.outEnd - d.out
	if !c.broken {
		c.sendOut(l.out[d.out:d.outEnd], l.segs[d.seg:d.segEnd])
	}
	if c.owed == 0 {
		c.goOn()
		c.after()
	}
}

// forget drops what is gathered for the client in hand.
func (l *loop) forget() { l.out, l.segs = l.out[:l.outAt], l.segs[:l.segAt] }
