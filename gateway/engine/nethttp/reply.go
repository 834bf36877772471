package nethttp

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/tollgate-lab/tollgate/gateway/exchange"
)

func (d *run) respond(a *exchange.Action) {
	if d.gone {
		return
	}
	h := d.w.Header()
	for _, f := range a.Fields {
		h.Add(string(f.Name), string(f.Value))
	}
	if h.Get("Content-Type") == "" {
		h["Content-Type"] = nil // none, rather than a guess
	}
	if a.ContentLength >= 0 {
		h.Set("Content-Length", strconv.FormatInt(a.ContentLength, 10))
	}
	if d.r.ProtoMajor == 1 && d.bodyUnread() {
		h.Set("Connection", "close")
		if d.bodyIn == 0 && d.r.Header.Get("Expect") != "" {
			d.ctl.SetReadDeadline(past) // else the server waits for a body that may not come
		}
	}
	d.writeLimit()
	d.w.WriteHeader(a.Status)
	d.responded, d.dirty = true, true
}

var past = time.Unix(1, 0)

// bodyUnread reports whether the body was refused in the middle, or may come
// although it was never asked for.
func (d *run) bodyUnread() bool {
	if d.r.ContentLength != 0 && d.bodyIn == 0 && d.r.Header.Get("Expect") != "" {
		return true
	}
	return d.lim.MaxBodyBytes > 0 && (d.r.ContentLength > d.lim.MaxBodyBytes || d.bodyIn > d.lim.MaxBodyBytes)
}

func (d *run) write(data []byte) {
	if d.gone || len(data) == 0 {
		return
	}
	d.writeLimit()
	n, err := d.w.Write(data)
	d.pending += int64(n)
	d.dirty = true
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		d.gone = true
	}
}

func (d *run) writeLimit() {
	if ns := d.lim.WriteTimeoutNs; ns > 0 {
		d.ctl.SetWriteDeadline(time.Now().Add(time.Duration(ns)))
	}
}

// flush sends what the server has buffered, before something is waited for.
func (d *run) flush() {
	if !d.dirty || d.gone || !d.responded {
		return
	}
	d.dirty = false
	d.writeLimit()
	err := d.ctl.Flush()
	d.delivered += d.pending
	d.pending = 0
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		d.gone = true
	}
}
