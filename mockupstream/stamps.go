package mockupstream

import (
	"sync"

	"github.com/tollgate-lab/tollgate/results/contract"
)

const (
	// blockStamps is how many stamps a shard takes at a time: few enough that
	// thousands of shards share the default capacity.
	blockStamps = 256
	// slabBlocks is how many blocks are allocated at a time (3.5 MiB).
	slabBlocks = 256
)

type stampBlock struct {
	stamps []contract.MockStamp // blockStamps of them
	used   int
}

// stampPool hands out blocks up to a capacity. Released blocks are used again.
type stampPool struct {
	mu    sync.Mutex
	left  int // blocks that may still be allocated
	slabs []*slab
	free  []stampBlock
}

func newStampPool(capacity int) *stampPool {
	return &stampPool{left: (capacity + blockStamps - 1) / blockStamps}
}

func (p *stampPool) take() (stampBlock, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		if p.left == 0 {
			return stampBlock{}, false
		}
		n := min(slabBlocks, p.left)
		p.left -= n
		sl := newSlab(n * blockStamps)
		p.slabs = append(p.slabs, sl)
		for i := range n {
			p.free = append(p.free, stampBlock{stamps: sl.stamps[i*blockStamps : (i+1)*blockStamps]})
		}
	}
	last := len(p.free) - 1
	b := p.free[last]
	p.free = p.free[:last]
	return b, true
}

func (p *stampPool) put(b stampBlock) {
	b.used = 0
	p.mu.Lock()
	p.free = append(p.free, b)
	p.mu.Unlock()
}

// stampLog is the stamps of one shard, guarded by the shard's lock.
type stampLog struct {
	pool *stampPool
	cur  stampBlock
	full []stampBlock
}

// add keeps a stamp; false when the pool is exhausted.
func (l *stampLog) add(st *contract.MockStamp) bool {
	if l.cur.used == len(l.cur.stamps) {
		b, ok := l.pool.take()
		if !ok {
			return false
		}
		if l.cur.stamps != nil {
			l.full = append(l.full, l.cur)
		}
		l.cur = b
	}
	l.cur.stamps[l.cur.used] = *st
	l.cur.used++
	return true
}

func (l *stampLog) appendTo(out []contract.MockStamp) []contract.MockStamp {
	for _, b := range l.full {
		out = append(out, b.stamps[:b.used]...)
	}
	return append(out, l.cur.stamps[:l.cur.used]...)
}

// release gives the full blocks back and empties the one in hand.
func (l *stampLog) release() {
	for _, b := range l.full {
		l.pool.put(b)
	}
	l.full = l.full[:0]
	l.cur.used = 0
}
