package direct

import (
	"errors"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// Request is a request as an engine would have read it.
type Request struct {
	Method, Target []byte
	Fields         []exchange.Field
	Body           []byte
	// Chunk splits the body into events of at most so many bytes. 0: one event.
	Chunk int
	// Chunked says that the body's length is not announced.
	Chunked bool
}

// Answer is what the upstream answers to whatever it is asked.
type Answer struct {
	Status int
	Fields []exchange.Field
	// Chunks is the body, one event for each.
	Chunks [][]byte
	// Length is announced when it is not negative.
	Length int64
	// Fault ends the attempt: before the head when Status is 0, else after the
	// last chunk.
	Fault exchange.UpstreamFault
}

// Response is what the client got. Its slices are valid until the next Do.
type Response struct {
	Status  int
	Fields  []exchange.Field
	Length  int64 // announced, -1: not
	Body    []byte
	Aborted bool // the connection ended without ending the response

	// Asked is what the upstream was asked, nil when it was not. UpBody is its
	// body as it would have gone out; it is put together only when Driver.Echo is
	// set.
	Asked  *exchange.Upstream
	UpBody []byte
	Steps  int
}

// Driver runs one request after another. It is not safe for concurrent use.
type Driver struct {
	core *exchange.Core
	rows logrow.Appender
	// Echo puts Response.UpBody together.
	Echo bool
	// CancelAt gives the client up before the step of that number, from 1; 0
	// never. What would have happened then does not, but a row that is
	// awaited is still answered.
	CancelAt int

	x       *exchange.Exchange
	out     exchange.Actions
	ev      exchange.Event
	head    exchange.RequestHead
	uphead  exchange.ResponseHead
	resp    Response
	fields  []exchange.Field
	arena   []byte
	stored  stored
	waiting bool
	asked   bool
	ended   bool
	done    bool
	reading bool
	now     func() int64
}

// New returns a driver of core whose rows go to rows; nil: nowhere, and an
// awaited row is stored at once.
func New(core *exchange.Core, rows logrow.Appender) *Driver {
	d := &Driver{core: core, rows: rows}
	d.stored.c = make(chan error, 1)
	return d
}

// stored takes the completion of an awaited row.
type stored struct{ c chan error }

func (s *stored) Stored(err error) { s.c <- err }

// ErrStuck says that an exchange waits for an event that will not come.
var ErrStuck = errors.New("direct: the exchange waits for nothing that can happen")

// Do runs one request to its end. The response belongs to the driver and is
// valid until the next Do.
func (d *Driver) Do(now func() int64, req *Request, ans *Answer) (*Response, error) {
	d.x = d.core.Acquire()
	d.now = now
	d.resp = Response{Body: d.resp.Body[:0], UpBody: d.resp.UpBody[:0], Length: -1}
	d.fields, d.arena = d.fields[:0], d.arena[:0]
	d.waiting, d.asked, d.ended, d.done, d.reading = false, false, false, false, false
	err := d.run(req, ans)
	d.core.Release(d.x)
	d.x = nil
	return &d.resp, err
}

func (d *Driver) run(req *Request, ans *Answer) error {
	d.head = exchange.RequestHead{
		Method: req.Method, Target: req.Target, Minor: 1, Fields: req.Fields, ContentLength: int64(len(req.Body)),
	}
	if req.Chunked {
		d.head.ContentLength = -1
	}
	d.ev = exchange.Event{Kind: exchange.EvRequestHead, Head: &d.head}
	d.step()
	if d.reading {
		d.sendBody(req)
	}
	if d.asked && !d.done {
		d.answer(ans)
	}
	if d.waiting && !d.done {
		err := error(nil)
		if d.rows != nil {
			err = <-d.stored.c
		}
		d.waiting = false
		d.ev = exchange.Event{Kind: exchange.EvStored, Err: err}
		d.step()
	}
	if !d.done {
		return ErrStuck
	}
	return nil
}

// Written is the bytes of the answer's body that the client has, also while Do
// runs.
func (d *Driver) Written() int64 { return int64(len(d.resp.Body)) }

// sendBody hands the request's body over as an engine does: read into the
// exchange's own memory.
func (d *Driver) sendBody(req *Request) {
	for b := req.Body; len(b) > 0 && !d.ended; {
		n := len(b)
		if req.Chunk > 0 {
			n = min(n, req.Chunk)
		}
		space := d.x.BodySpace(n)
		copy(space, b[:n])
		d.ev = exchange.Event{Kind: exchange.EvRequestBody, Data: space}
		d.step()
		b = b[n:]
	}
	if !d.ended {
		d.ev = exchange.Event{Kind: exchange.EvRequestEnd}
		d.step()
	}
}

// answer plays the upstream.
func (d *Driver) answer(ans *Answer) {
	if ans.Status != 0 {
		d.uphead = exchange.ResponseHead{Status: ans.Status, Fields: ans.Fields, ContentLength: ans.Length}
		d.ev = exchange.Event{Kind: exchange.EvUpstreamHead, Response: &d.uphead}
		d.step()
		for _, c := range ans.Chunks {
			if d.ended {
				return
			}
			d.ev = exchange.Event{Kind: exchange.EvUpstreamBody, Data: c}
			d.step()
		}
	}
	if d.ended {
		return
	}
	if ans.Fault != exchange.FaultNone {
		d.ev = exchange.Event{Kind: exchange.EvUpstreamError, Fault: ans.Fault}
	} else {
		d.ev = exchange.Event{Kind: exchange.EvUpstreamEnd}
	}
	d.step()
}

// step runs one Step and does its actions.
func (d *Driver) step() {
	d.resp.Steps++
	d.ev.Delivered = int64(len(d.resp.Body))
	if d.resp.Steps == d.CancelAt && !d.done {
		ev := exchange.Event{Kind: exchange.EvCancelled, Delivered: d.ev.Delivered}
		d.ended = true
		d.act(&ev)
		if d.ev.Kind != exchange.EvStored {
			return
		}
	}
	d.act(&d.ev)
}

func (d *Driver) act(ev *exchange.Event) {
	d.x.Step(d.now(), ev, &d.out)
	for i := range d.out.List {
		d.do(&d.out.List[i])
	}
}

func (d *Driver) do(a *exchange.Action) {
	switch a.Kind {
	case exchange.ActReadBody:
		d.reading = true
	case exchange.ActOpenUpstream:
		d.asked = true
		d.resp.Asked = a.Upstream
		if d.Echo {
			d.resp.UpBody = a.Upstream.AppendBody(d.resp.UpBody)
		}
	case exchange.ActRespond:
		d.resp.Status, d.resp.Length = a.Status, a.ContentLength
		for _, f := range a.Fields {
			d.fields = append(d.fields, exchange.Field{Name: d.keep(f.Name), Value: d.keep(f.Value)})
		}
		d.resp.Fields = d.fields
	case exchange.ActWrite:
		d.resp.Body = append(d.resp.Body, a.Data...)
	case exchange.ActAbort:
		d.resp.Aborted = true
		d.ended = true
	case exchange.ActFinish:
		d.ended = true
	case exchange.ActAppendRow:
		d.waiting = a.Await
		if d.rows != nil {
			d.rows.Append(a.Row, &d.stored)
		}
		if a.Await {
			d.ended = true // nothing more can change it but the store's answer
		}
	case exchange.ActDone:
		d.ended, d.done = true, true
	}
}

func (d *Driver) keep(b []byte) []byte {
	at := len(d.arena)
	d.arena = append(d.arena, b...)
	return d.arena[at:]
}
