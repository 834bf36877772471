// Package join puts the generator's stamps and the mock's side by side, by
// request id, and takes the toll of each request: what lay between them.
//
//	request leg = mock received − client sent
//	response leg = client's last byte − mock's last write
//	toll = client total − mock total
//
// The mock stamps a write before it makes it, so the response leg holds the
// mock's own last write; the floor's toll, joined in the same way, shows how
// much that and the rig's scheduling are.
package join

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tollgate-lab/tollgate/results"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// Tolls is the joined requests of one repetition.
type Tolls struct {
	Answered int64 // answered requests, joined or not
	Joined   int64
	Negative int64 // legs below zero, kept as 1 ns: the clocks differ by more than they may
	hist     map[string]*hdrhistogram.Histogram
	outside  int64
}

// Join takes the toll of every answered request that the mock has stamped.
// Of an id stamped twice (a retry), the first received and the last sent
// count.
func Join(records []contract.ClientRecord, stamps []contract.MockStamp) *Tolls {
	t := &Tolls{hist: make(map[string]*hdrhistogram.Histogram)}
	type span struct{ received, sent int64 }
	mock := make(map[uint64]span, len(stamps))
	for i := range stamps {
		s := &stamps[i]
		if s.ID == 0 || s.Received == 0 || s.LastSent == 0 {
			continue
		}
		v, seen := mock[s.ID]
		if !seen || s.Received < v.received {
			v.received = s.Received
		}
		v.sent = max(v.sent, s.LastSent)
		mock[s.ID] = v
	}
	for i := range records {
		r := &records[i]
		if r.Outcome != contract.Answered {
			continue
		}
		t.Answered++
		m, ok := mock[r.ID]
		if !ok {
			continue
		}
		t.Joined++
		request, response := m.received-r.Sent, r.LastByte-m.sent
		toll := request + response
		t.record(results.TollRequestLeg, request)
		t.record(results.TollResponseLeg, response)
		t.record(results.Toll, toll)
		if r.Streamed {
			t.record(results.TollStream, toll)
		} else {
			t.record(results.TollPlain, toll)
		}
	}
	return t
}

func (t *Tolls) record(name string, ns int64) {
	if ns < 1 {
		t.Negative++
		ns = 1
	}
	h := t.hist[name]
	if h == nil {
		h = results.NewHistogram()
		t.hist[name] = h
	}
	if h.RecordValue(ns) != nil {
		t.outside++
	}
}

// Histograms is the tolls, encoded, by name.
func (t *Tolls) Histograms() (map[string]results.Histogram, error) {
	if t.outside > 0 {
		return nil, fmt.Errorf("join: %d values above the histogram's 10 minutes", t.outside)
	}
	out := make(map[string]results.Histogram, len(t.hist))
	for name, h := range t.hist {
		enc, err := results.EncodeHistogram(h)
		if err != nil {
			return nil, fmt.Errorf("join %s: %w", name, err)
		}
		out[name] = enc
	}
	return out, nil
}

// NearDelayedACK reports whether the median toll is about 40 ms: the time by
// which Linux delays an ACK, and the mark of a hop without TCP_NODELAY.
func (t *Tolls) NearDelayedACK() bool {
	h := t.hist[results.Toll]
	if h == nil {
		return false
	}
	const ms = 1_000_000
	p50 := h.ValueAtPercentile(50)
	return 38*ms <= p50 && p50 <= 46*ms
}

// Warnings says what weakens the join.
func (t *Tolls) Warnings() (out []string) {
	if t.Joined < t.Answered {
		out = append(out, fmt.Sprintf("toll joined for %d of %d answered requests", t.Joined, t.Answered))
	}
	if t.Negative > 0 {
		out = append(out, fmt.Sprintf("%d joined legs below zero: the stamps' clocks disagree", t.Negative))
	}
	return out
}
