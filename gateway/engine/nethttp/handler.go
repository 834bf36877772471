package nethttp

import (
	"context"
	"net/http"
	"runtime/debug"
	"sort"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// run is one request: its exchange and what is under way for it.
type run struct {
	e      *Engine
	core   *exchange.Core
	lim    *exchange.Limits
	w      http.ResponseWriter
	ctl    *http.ResponseController
	r      *http.Request
	x      *exchange.Exchange
	acts   exchange.Actions
	up     *attempt
	stored chan error
	fire   int64 // EvTimer is due, Unix ns; 0: not set

	bodyIn                  int64
	pending, delivered      int64 // body bytes: in the server's buffer, flushed
	wantBody, awaiting      bool
	abort, gone, told, done bool
	dirty, responded        bool
}

// ServeHTTP answers one request by an exchange.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.wg.Add(1)
	defer e.wg.Done()
	core := e.o.Core()
	d := &run{
		e: e, core: core, lim: core.Limits(), w: w, ctl: http.NewResponseController(w), r: r,
		x: core.Acquire(), stored: make(chan error, 1),
	}
	d.serve()
	if d.abort {
		panic(http.ErrAbortHandler)
	}
}

func (d *run) serve() {
	defer func() {
		d.endUpstream()
		d.core.Release(d.x)
	}()
	defer func() {
		if p := recover(); p != nil {
			d.e.panics.Add(1)
			d.e.o.Logger.Error("panic in a request", "remote", d.r.RemoteAddr, "panic", p, "stack", string(debug.Stack()))
			d.gone, d.abort = true, true
			d.settle()
		}
	}()
	d.begin()
	d.drive()
	if d.gone {
		d.abort = true
	}
}

// settle ends the exchange after a panic.
func (d *run) settle() {
	defer func() {
		if p := recover(); p != nil {
			d.e.o.Logger.Error("panic while settling", "remote", d.r.RemoteAddr, "panic", p)
		}
	}()
	d.drive()
}

func (d *run) begin() {
	head := &exchange.RequestHead{
		Method: []byte(d.r.Method), Target: []byte(target(d.r)), Minor: d.r.ProtoMinor,
		Fields: fieldsOf(d.r.Header), ContentLength: d.r.ContentLength, RemoteAddr: d.r.RemoteAddr,
	}
	if d.r.ProtoMajor == 2 {
		head.Minor = 1
	}
	head.Fields = append(head.Fields, exchange.Field{Name: []byte("Host"), Value: []byte(d.r.Host)})
	size := len(head.Method) + len(head.Target) + len(" HTTP/1.1\r\n\r\n") + 1
	for _, f := range head.Fields {
		size += len(f.Name) + len(f.Value) + len(": \r\n")
	}
	if over(d.lim.MaxHeadBytes, size) || over(d.lim.MaxHeadFields, len(head.Fields)) {
		d.step(exchange.Event{Kind: exchange.EvBadRequest, Status: 431, Reason: "request header fields too large"})
		return
	}
	d.step(exchange.Event{Kind: exchange.EvRequestHead, Head: head})
}

func over(limit, n int) bool { return limit > 0 && n > limit }

// target is the request target in origin form, as it was sent.
func target(r *http.Request) string {
	if len(r.RequestURI) > 0 && (r.RequestURI[0] == '/' || r.RequestURI == "*") {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}

// fieldsOf lists fields in the order of their names.
func fieldsOf(h http.Header) []exchange.Field {
	names := make([]string, 0, len(h))
	for n := range h {
		names = append(names, n)
	}
	sort.Strings(names)
	fields := make([]exchange.Field, 0, len(names)+1)
	for _, n := range names {
		for _, v := range h[n] {
			fields = append(fields, exchange.Field{Name: []byte(n), Value: []byte(v)})
		}
	}
	return fields
}

func (d *run) step(ev exchange.Event) {
	ev.Delivered = d.delivered
	d.x.Step(d.e.o.Now(), &ev, &d.acts)
	d.perform()
}

// Stored implements logrow.Completion.
func (d *run) Stored(err error) { d.stored <- err }

// drive feeds events until the exchange is done.
func (d *run) drive() {
	for !d.done {
		switch {
		case d.gone && !d.told:
			d.told = true
			d.step(exchange.Event{Kind: exchange.EvCancelled})
		case d.awaiting:
			d.flush()
			err := <-d.stored
			d.awaiting = false
			d.step(exchange.Event{Kind: exchange.EvStored, Err: err})
		case d.wantBody && !d.gone:
			d.readBody()
		case d.up != nil || d.fire > 0:
			d.wait()
		case !d.gone:
			d.e.o.Logger.Error("exchange waits for nothing: cancelled", "remote", d.r.RemoteAddr)
			d.gone = true
		default:
			d.e.o.Logger.Error("exchange does not end after its cancel: released", "remote", d.r.RemoteAddr)
			return
		}
	}
}

// wait is for the upstream, the timer or the client's leaving.
func (d *run) wait() {
	d.flush()
	if d.gone && !d.told {
		return
	}
	var events chan exchange.Event
	if d.up != nil {
		events = d.up.events
	}
	left := d.r.Context().Done()
	if d.told {
		left = nil
	}
	var due <-chan time.Time
	if d.fire > 0 {
		t := time.NewTimer(time.Duration(d.fire - d.e.o.Now()))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-left:
		d.gone = true
	case <-due:
		d.fire = 0
		d.step(exchange.Event{Kind: exchange.EvTimer})
	case ev := <-events:
		up := d.up
		if ev.Kind == exchange.EvUpstreamEnd || ev.Kind == exchange.EvUpstreamError {
			d.endUpstream()
			d.step(ev)
			return
		}
		d.step(ev)
		if d.up == up {
			up.more <- struct{}{}
		}
	}
}

func (d *run) perform() {
	for i := range d.acts.List {
		a := &d.acts.List[i]
		switch a.Kind {
		case exchange.ActRespond:
			d.respond(a)
		case exchange.ActWrite:
			d.write(a.Data)
		case exchange.ActFinish:
			// The server ends the response when the handler returns.
		case exchange.ActAbort:
			d.abort = true
		case exchange.ActReadBody:
			d.wantBody = true
		case exchange.ActOpenUpstream:
			d.endUpstream()
			ep := d.core.Endpoints()[a.Upstream.Endpoint]
			d.up = d.e.open(context.WithoutCancel(d.r.Context()), ep, a.Upstream, a.Attempt)
		case exchange.ActCancelUpstream:
			d.endUpstream()
		case exchange.ActSetTimer:
			d.fire = a.Deadline
		case exchange.ActAppendRow:
			if d.e.o.Rows.Append(a.Row, d) {
				d.awaiting = true
			} else if a.Await {
				d.Stored(nil) // the store promises nothing: answered at once
				d.awaiting = true
			}
		case exchange.ActDone:
			d.done = true
		}
	}
}

func (d *run) endUpstream() {
	if d.up != nil {
		d.up.end()
		d.up = nil
	}
}
