package loadgen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/loadgen/answer"
	"github.com/tollgate-lab/tollgate/results/contract"
)

// headerSeq is how vegeta tells which hit of the attack a request is.
const headerSeq = "X-Vegeta-Seq"

var errNotSent = errors.New("not sent")

// hit is one request of the vegeta client and the reader of its answer.
type hit struct {
	trip   *roundTripper
	sample sample
	check  *answer.Checker
	cancel context.CancelFunc
	body   io.ReadCloser
	resp   *http.Response
	said   []byte
	ended  bool
	// net/http may still call back when it has given up on a request.
	sent, first atomic.Int64
}

// RoundTrip sends the run's request with the number that vegeta gave this
// hit. The response's body measures itself while it is read.
func (t *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	n, err := strconv.ParseInt(req.Header.Get(headerSeq), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("header %s: %w", headerSeq, err)
	}
	r := t.run
	h := &hit{trip: t}
	x := &h.sample
	x.seq = n - int64(r.job.Warmup)
	x.rec.ID, x.rec.Streamed = r.id(x.seq), r.streamed(x.seq)
	if r.openLoop() {
		x.rec.Intended = r.base + r.sched[n]
		switch {
		case r.leaving():
			r.unsent(x.seq, x.rec.Intended, "the run ended first")
			return nil, errNotSent
		case r.tooLate(x.rec.Intended):
			r.unsent(x.seq, x.rec.Intended, fmt.Sprintf("no worker was free within %v", r.job.Timeout))
			return nil, errNotSent
		}
	} else if r.leaving() {
		return nil, errNotSent // drawn ahead of a free worker: it never was a request
	}
	h.check = t.checker()
	h.check.Begin(x.rec.Streamed)
	out, err := h.request()
	if err != nil {
		h.finish(err)
		return nil, err
	}
	resp, err := t.next.RoundTrip(out)
	if err != nil {
		h.finish(err)
		return nil, err
	}
	h.resp, h.body = resp, resp.Body
	resp.Body = h
	return resp, nil
}

// request renders the request for net/http.
func (h *hit) request() (*http.Request, error) {
	t := h.trip
	msg := &t.run.req.plain
	if h.sample.rec.Streamed {
		msg = &t.run.req.stream
	}
	ctx, cancel := context.WithTimeout(t.run.ctx, t.run.job.Timeout)
	h.cancel = cancel
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { h.sent.CompareAndSwap(0, contract.Now()) },
		GotFirstResponseByte: func() {
			h.first.CompareAndSwap(0, contract.Now())
		},
	})
	var id [contract.IDLen]byte
	contract.PutID(id[:], h.sample.rec.ID)
	var body io.Reader
	switch {
	case msg.idAt >= 0:
		own := bytes.Clone(msg.body)
		copy(own[msg.idAt:], id[:])
		body = bytes.NewReader(own)
	case len(msg.body) > 0:
		body = bytes.NewReader(msg.body)
	}
	req, err := http.NewRequestWithContext(ctx, t.run.job.Method, t.run.req.url, body)
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.Header = msg.header.Clone()
	if msg.hasID && msg.idAt < 0 {
		req.Header.Set(contract.HeaderRequestID, string(id[:]))
	}
	h.sample.out = msg.bodyLen
	return req, nil
}

// Read passes the body on, and measures it.
func (h *hit) Read(p []byte) (int, error) {
	n, err := h.body.Read(p)
	h.sample.end = contract.Now()
	if n > 0 {
		h.sample.in += int64(n)
		if s := h.resp.StatusCode; s >= 200 && s < 300 {
			h.check.Read(h.sample.end)
			h.check.Feed(p[:n])
		} else if room := maxSaid - len(h.said); room > 0 {
			h.said = append(h.said, p[:min(room, n)]...)
		}
	}
	switch {
	case err == io.EOF:
		h.finish(nil)
	case err != nil:
		h.finish(err)
	}
	return n, err
}

// Close ends the hit. One that was not read to its end was left on purpose.
func (h *hit) Close() error {
	if !h.ended {
		h.finish(context.Canceled)
	}
	return h.body.Close()
}

// finish records the hit, once. err is what kept the answer from being whole.
func (h *hit) finish(err error) {
	if h.ended {
		return
	}
	h.ended = true
	r := h.trip.run
	x := &h.sample
	rec := &x.rec
	shard := r.shards[rec.ID%uint64(len(r.shards))]
	if rec.Sent = h.sent.Load(); rec.Sent == 0 {
		x.out = 0
		r.refused(shard, x, err)
		h.release()
		if x.rec.Outcome == contract.Refused {
			time.Sleep(longestBackoff) // as the lean client: do not hammer a target that refuses
		}
		return
	}
	if rec.Intended == 0 {
		rec.Intended = rec.Sent
	}
	if rec.FirstByte = h.first.Load(); x.end == 0 {
		x.end = contract.Now()
	}
	h.settle(err)
	c := h.check
	x.gaps, x.coalesced, x.last = c.Gaps, c.Coalesced, c.LastContent
	rec.Frames, rec.FirstContent = uint32(c.Frames), c.FirstContent
	r.record(shard, x)
	h.release()
}

func (h *hit) settle(err error) {
	r := h.trip.run
	x := &h.sample
	rec := &x.rec
	if h.resp != nil {
		rec.Status = uint16(h.resp.StatusCode)
	}
	if err != nil {
		left := errors.Is(err, context.Canceled) || isTimeout(err) && r.leaving()
		rec.Outcome = classifyBroken(err, rec.FirstByte > 0, left)
		x.words = err.Error()
		if rec.Outcome == contract.Timeout {
			x.words = fmt.Sprintf("no end within %v", r.job.Timeout)
		}
		return
	}
	rec.LastByte = x.end
	reason, marked := "", false
	if v := h.resp.Header.Values(markGatewayError); len(v) > 0 {
		reason, marked = v[0], true
	}
	var ok bool
	if rec.Outcome, ok = classifyStatus(h.resp.StatusCode, marked); ok {
		if r.job.Method != "HEAD" {
			rec.Outcome, x.words = h.check.End()
		}
	} else {
		x.words = tellStatus(h.said, marked, reason)
	}
	r.enforceTimeout(x)
}

func (h *hit) release() {
	if h.cancel != nil {
		h.cancel()
	}
	h.trip.checkers.Put(h.check)
	h.check = nil
}
