// Package shm is the memory that the workers of one host share: a region of
// 64-bit words, changed only by atomic operations, that outlives the process
// that wrote it.
package shm

import "sync/atomic"

// Region is a run of 64-bit words. In one process it is ordinary memory; with
// workers, or when counters must survive a restart, it is a file mapped
// MAP_SHARED.
type Region struct {
	words []int64
	close func() error
}

// NewHeap returns a region of n words of ordinary memory, all zero.
func NewHeap(n int) *Region { return &Region{words: make([]int64, n)} }

// Len is the number of words.
func (r *Region) Len() int { return len(r.words) }

// Word is the address of word i, for sync/atomic. It panics when i is out of
// range.
func (r *Region) Word(i int) *int64 { return &r.words[i] }

// Load is an atomic load of word i.
func (r *Region) Load(i int) int64 { return atomic.LoadInt64(&r.words[i]) }

// Close unmaps the region; its words must not be used afterwards.
func (r *Region) Close() error {
	if r.close == nil {
		return nil
	}
	c := r.close
	r.close, r.words = nil, nil
	return c()
}
