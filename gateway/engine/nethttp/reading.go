package nethttp

import (
	"errors"
	"io"
	"net"
	"os"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

// readBody reads the next piece of the request's body.
func (d *run) readBody() {
	if d.lim.MaxBodyBytes > 0 && d.r.ContentLength > d.lim.MaxBodyBytes {
		d.refuseBody(413, "request body too large")
		return
	}
	if ns := d.lim.BodyTimeoutNs; ns > 0 && d.bodyIn == 0 {
		d.ctl.SetReadDeadline(time.Now().Add(time.Duration(ns)))
	}
	size := readSize
	if left := d.r.ContentLength - d.bodyIn; d.r.ContentLength >= 0 {
		size = int(min(max(left, 1), 256<<10))
	}
	space := d.x.BodySpace(size)
	n, err := d.r.Body.Read(space)
	d.bodyIn += int64(n)
	if d.lim.MaxBodyBytes > 0 && d.bodyIn > d.lim.MaxBodyBytes {
		d.refuseBody(413, "request body too large")
		return
	}
	if n > 0 {
		d.step(exchange.Event{Kind: exchange.EvRequestBody, Data: space[:n]})
	}
	if err == nil || !d.wantBody || d.done {
		return
	}
	var broken net.Error
	switch {
	case err == io.EOF:
		d.wantBody = false
		d.ctl.SetReadDeadline(time.Time{})
		d.step(exchange.Event{Kind: exchange.EvRequestEnd})
	case errors.Is(err, os.ErrDeadlineExceeded):
		d.refuseBody(408, "request body took too long")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &broken), d.r.Context().Err() != nil:
		d.gone = true
	default:
		d.refuseBody(400, err.Error())
	}
}

func (d *run) refuseBody(status int, why string) {
	d.wantBody = false
	if d.r.ProtoMajor == 1 {
		d.w.Header().Set("Connection", "close")
	}
	d.step(exchange.Event{Kind: exchange.EvBadRequest, Status: status, Reason: why})
}
