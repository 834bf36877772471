package loadgen

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tollgate-lab/tollgate/results/contract"
)

// sample is what a client hands over when a request has ended, however it
// ended. It is reused: gaps belongs to the client.
type sample struct {
	seq       int64 // in the measured part, from 0; below 0: warm-up
	rec       contract.ClientRecord
	end       int64 // when the end was known; LastByte for a whole answer
	in, out   int64 // body bytes
	coalesced int
	last      int64 // stamp of the last content frame
	gaps      []int64
	words     string // why it failed
}

// slots index a shard's histograms, in this order.
var slots = [...]Latency{ServiceTime, ResponseTime, SendLag, FirstByte, TTFT, ITL, TPOT, ServicePlain, ServiceStream, ErrorTime}

const (
	slotService = iota
	slotResponse
	slotSendLag
	slotFirstByte
	slotTTFT
	slotITL
	slotTPOT
	slotPlain
	slotStream
	slotError
)

// shard gathers the samples of a group of connections. One shard per
// connection would cost 2.4 MB each, so connections share; a lock is held
// for the few hundred nanoseconds of recording, never over I/O.
type shard struct {
	mu             sync.Mutex
	hist           [len(slots)]*hdrhistogram.Histogram // made when first used
	outcomes       contract.Counts
	warmup         contract.Counts
	status         [600]int64
	in, out        int64
	frames         int64
	coalesced      int64
	started, ended int64 // of measured requests: first sent, last end
	records        []contract.ClientRecord
	err            error // first value that no histogram holds
	_              [64]byte
}

// shardsFor is the number of shards for conc connections: two a processor
// keep the locks free, and at most 4 × GOMAXPROCS are allowed (CONTRACTS 14).
func shardsFor(conc int) int { return min(conc, 2*runtime.GOMAXPROCS(0)) }

func (s *shard) put(slot int, ns int64) {
	h := s.hist[slot]
	if h == nil {
		h = NewHistogram()
		s.hist[slot] = h
	}
	// The last bucket reaches further than the range, so it is checked here.
	if ns < 0 || ns > int64(histogramMax) || h.RecordValue(ns) != nil {
		if s.err == nil {
			s.err = fmt.Errorf("record %s: %d ns is outside 0–%v", slots[slot], ns, histogramMax)
		}
	}
}

// add records one ended request. openLoop says that it had an intended time.
// keep, when not nil, is the place of its record among those of all shards.
func (s *shard) add(x *sample, openLoop bool, keep []contract.ClientRecord) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &x.rec
	if x.seq < 0 {
		s.warmup[r.Outcome]++
		return
	}
	s.outcomes[r.Outcome]++
	if r.Status > 0 && int(r.Status) < len(s.status) {
		s.status[r.Status]++
	}
	s.in += x.in
	s.out += x.out
	s.frames += int64(r.Frames)
	s.coalesced += int64(x.coalesced)
	switch {
	case keep == nil:
	case int(x.seq) < len(keep):
		keep[x.seq] = *r // nobody else has this seq
	default:
		s.records = append(s.records, *r)
	}
	if r.Sent == 0 {
		return
	}
	if s.started == 0 || r.Sent < s.started {
		s.started = r.Sent
	}
	s.ended = max(s.ended, x.end)
	if openLoop {
		s.put(slotSendLag, r.Sent-r.Intended)
	}
	if r.Outcome != contract.Answered {
		s.put(slotError, x.end-r.Sent)
		return
	}
	s.answered(x, openLoop)
}

func (s *shard) answered(x *sample, openLoop bool) {
	r := &x.rec
	service := r.LastByte - r.Sent
	s.put(slotService, service)
	s.put(slotFirstByte, r.FirstByte-r.Sent)
	if openLoop {
		s.put(slotResponse, r.LastByte-r.Intended)
	}
	if !r.Streamed {
		s.put(slotPlain, service)
		return
	}
	s.put(slotStream, service)
	if r.FirstContent > 0 {
		s.put(slotTTFT, r.FirstContent-r.Sent)
	}
	for _, g := range x.gaps {
		s.put(slotITL, g)
	}
	if r.Frames > 1 {
		s.put(slotTPOT, (x.last-r.FirstContent)/int64(r.Frames-1))
	}
}
