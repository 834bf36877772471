package mockupstream

import (
	"slices"
	"sync"
)

// shardPool lends shards to connections. None is ever dropped, so that the
// sum over all of them is the sum over all connections so far.
type shardPool struct {
	stamps *stampPool

	mu   sync.Mutex
	made []*shard
	free []*shard
}

func (p *shardPool) take() *shard {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		s := p.free[n-1]
		p.free = p.free[:n-1]
		return s
	}
	s := &shard{}
	s.stamps.pool = p.stamps
	p.made = append(p.made, s)
	return s
}

func (p *shardPool) put(s *shard) {
	p.mu.Lock()
	p.free = append(p.free, s)
	p.mu.Unlock()
}

func (p *shardPool) all() []*shard {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.made)
}
