package nethttp

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// readSize is what an upstream body is read with, in bytes.
const readSize = 16 << 10

var (
	errHeadTimeout = errors.New("no response head in time")
	errBodyTimeout = errors.New("response body stalled")
	errEnded       = errors.New("attempt given up")
	errSwitched    = errors.New("upstream switches protocols")
)

// attempt is one request to an upstream, run by a goroutine of its own that
// hands over one event at a time and goes on when it is told to.
type attempt struct {
	n      int
	up     *upstream
	want   *exchange.Upstream
	cancel context.CancelCauseFunc
	body   *sending
	events chan exchange.Event
	more   chan struct{}
	quit   chan struct{} // closed by end
	done   chan struct{} // closed by the goroutine
	got    atomic.Bool   // a connection was had
}

// open starts an attempt under ctx.
func (e *Engine) open(ctx context.Context, ep exchange.Endpoint, want *exchange.Upstream, n int) *attempt {
	a := &attempt{
		n: n, up: e.ups.get(ep), want: want,
		events: make(chan exchange.Event), more: make(chan struct{}),
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	ctx = context.WithValue(ctx, dialLimit{}, want.ConnTimeoutNs)
	ctx, a.cancel = context.WithCancelCause(ctx)
	go func() {
		defer close(a.done)
		defer a.cancel(errEnded)
		a.run(ctx, e)
	}()
	return a
}

// end gives the attempt up, and returns when its goroutine has.
func (a *attempt) end() {
	close(a.quit)
	a.cancel(errEnded)
	<-a.done
	if a.body != nil {
		a.body.detach()
	}
}

// emit hands an event over and waits until it has been taken in. It reports
// whether to go on.
func (a *attempt) emit(ev exchange.Event) bool {
	ev.Attempt = a.n
	select {
	case a.events <- ev:
	case <-a.quit:
		return false
	}
	select {
	case <-a.more:
		return true
	case <-a.quit:
		return false
	}
}

func (a *attempt) run(ctx context.Context, e *Engine) {
	if limit := a.up.ep.MaxConns; a.up.busy.Add(1) > int64(limit) && limit > 0 {
		a.up.busy.Add(-1)
		a.emit(exchange.Event{Kind: exchange.EvUpstreamError, Fault: exchange.FaultOverloaded})
		return
	}
	defer a.up.busy.Add(-1)
	req := a.request(ctx)
	var headTimer atomic.Pointer[time.Timer]
	trace := &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) {
			a.got.Store(true)
			if i.Reused {
				e.ups.reused.Add(1)
			}
		},
		WroteRequest: func(httptrace.WroteRequestInfo) {
			if ns := a.want.HeadTimeoutNs; ns > 0 {
				t := time.AfterFunc(time.Duration(ns), func() { a.cancel(errHeadTimeout) })
				if old := headTimer.Swap(t); old != nil {
					old.Stop()
				}
			}
		},
	}
	res, err := a.up.rt.RoundTrip(req.WithContext(httptrace.WithClientTrace(ctx, trace)))
	if t := headTimer.Load(); t != nil && !t.Stop() && err == nil {
		res.Body.Close()
		err = errHeadTimeout
	}
	if err == nil && res.StatusCode == http.StatusSwitchingProtocols {
		res.Body.Close()
		a.emit(exchange.Event{Kind: exchange.EvUpstreamError, Fault: exchange.FaultMalformed, Err: errSwitched})
		return
	}
	if err != nil {
		a.emit(exchange.Event{Kind: exchange.EvUpstreamError, Fault: a.headFault(ctx, err), Err: err})
		return
	}
	defer res.Body.Close()
	head := &exchange.ResponseHead{Status: res.StatusCode, ContentLength: res.ContentLength, Fields: fieldsOf(res.Header)}
	if a.emit(exchange.Event{Kind: exchange.EvUpstreamHead, Response: head}) {
		a.read(ctx, res.Body)
	}
}

// read hands the body over, read by read.
func (a *attempt) read(ctx context.Context, body io.Reader) {
	buf := make([]byte, readSize)
	limit := time.Duration(a.want.BodyTimeoutNs)
	for {
		var t *time.Timer
		if limit > 0 {
			t = time.AfterFunc(limit, func() { a.cancel(errBodyTimeout) })
		}
		n, err := body.Read(buf)
		if t != nil {
			t.Stop()
		}
		if n > 0 && !a.emit(exchange.Event{Kind: exchange.EvUpstreamBody, Data: buf[:n]}) {
			return
		}
		switch {
		case err == nil:
		case err == io.EOF:
			a.emit(exchange.Event{Kind: exchange.EvUpstreamEnd})
			return
		default:
			fault := exchange.FaultMidBody
			if context.Cause(ctx) == errBodyTimeout {
				fault = exchange.FaultTimeoutBody
			}
			a.emit(exchange.Event{Kind: exchange.EvUpstreamError, Fault: fault, Err: err})
			return
		}
	}
}

func (a *attempt) request(ctx context.Context) *http.Request {
	u := a.want
	scheme := "http"
	if a.up.ep.TLS {
		scheme = "https"
	}
	path, query, _ := cut(string(u.Path), '?')
	req := &http.Request{
		Method: u.Method,
		URL:    &url.URL{Scheme: scheme, Host: a.up.ep.Host, Opaque: path, RawQuery: query},
		Host:   a.up.ep.HostHead,
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header, len(u.Fields)+1),
	}
	for _, f := range u.Fields {
		req.Header.Add(string(f.Name), string(f.Value))
	}
	if _, ok := req.Header["User-Agent"]; !ok {
		req.Header["User-Agent"] = nil // none, rather than the library's own
	}
	if u.Body != nil {
		a.body = newSending(u)
		req.Body, req.ContentLength = a.body, int64(u.Len())
		if req.ContentLength == 0 {
			req.Body = http.NoBody
		}
	}
	return req.WithContext(ctx)
}

func cut(s string, sep byte) (before, after string, found bool) {
	for i := range len(s) {
		if s[i] == sep {
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// headFault says why there is no response head.
func (a *attempt) headFault(ctx context.Context, err error) exchange.UpstreamFault {
	var timeout interface{ Timeout() bool }
	var protocol textproto.ProtocolError
	var record tls.RecordHeaderError
	switch {
	case errors.Is(context.Cause(ctx), errHeadTimeout), errors.Is(err, errHeadTimeout):
		return exchange.FaultTimeoutHead
	case errors.As(err, &record):
		return exchange.FaultConnect
	case !a.got.Load():
		if errors.As(err, &timeout) && timeout.Timeout() {
			return exchange.FaultTimeoutConn
		}
		return exchange.FaultConnect
	case errors.As(err, &protocol), malformed(err):
		return exchange.FaultMalformed
	}
	return exchange.FaultReset
}
