package exchange

import (
	"bytes"

	"github.com/tollgate-lab/tollgate/gateway/admission"
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// onHead routes and authenticates: what is refused here is refused before a
// byte of the body was read.
func (x *Exchange) onHead(h *RequestHead, out *Actions) {
	x.begin()
	x.setID(h.Fields)
	path := h.Target
	if i := bytes.IndexByte(path, '?'); i >= 0 {
		path, x.query = path[:i], x.copyOf(path[i:])
	}
	r, rest := routeOf(path)
	x.route = r
	x.head = string(h.Method) == "HEAD"
	if r == routeNone {
		x.local(h.Method, path, out)
		return
	}
	if !r.takes(h.Method) {
		x.refuseQuoting(causeMethod, x.line(h.Method, path), out)
		return
	}
	if x.c.d.Snapshot.Stages.Auth {
		k, reason := x.c.d.Admitter.Authenticate(bearer(h.Fields))
		x.key = k
		if reason != admission.ReasonNone {
			x.refuse(refusal(reason), out)
			return
		}
	}
	if r == routeModels || r == routeModel {
		x.serveModels(rest, out)
		return
	}
	if most := x.c.d.Snapshot.Limits.MaxBodyBytes; most > 0 && h.ContentLength > most {
		x.refuse(causeBodyTooLarge, out)
		return
	}
	x.keepRequestFields(h.Fields)
	x.state = stateReading
	out.List = append(out.List, Action{Kind: ActReadBody})
}

// local answers what the gateway serves beside its surfaces, or that there is
// nothing.
func (x *Exchange) local(method, path []byte, out *Actions) {
	if f := x.c.d.Local; f != nil {
		if status, contentType, body, ok := f(x.now, method, path); ok {
			x.serve(status, contentType, body, out)
			return
		}
	}
	x.refuseQuoting(causeUnknownURL, x.line(method, path), out)
}

// line is the method and path for a message, cut to a readable length. The
// query is left out: it may hold secrets.
func (x *Exchange) line(method, path []byte) []byte {
	at := len(x.arena)
	x.arena = append(x.arena, method[:min(len(method), 16)]...)
	x.arena = append(x.arena, ' ')
	x.arena = append(x.arena, path[:min(len(path), 200)]...)
	return x.arena[at:]
}

// setID takes the client's request id when it is usable, else a fresh one.
func (x *Exchange) setID(fields []Field) {
	for i := range fields {
		if fold(fields[i].Name, "x-request-id") && usableID(fields[i].Value) {
			x.id = x.copyOf(fields[i].Value)
			return
		}
	}
	x.freshID()
}

func (x *Exchange) freshID() {
	at := len(x.arena)
	for range logrow.MaxRequestID {
		x.arena = append(x.arena, 0)
	}
	n := x.c.d.NewID(x.arena[at : at+logrow.MaxRequestID])
	x.arena = x.arena[:at+n]
	x.id = x.arena[at : at+n : at+n]
}

// usableID reports whether an id may go into a field and a row: 1 to 64
// printable ASCII characters without space.
func usableID(v []byte) bool {
	if len(v) == 0 || len(v) > logrow.MaxRequestID {
		return false
	}
	for _, c := range v {
		if c <= ' ' || c >= 0x7F {
			return false
		}
	}
	return true
}

// bearer is the token of the Authorization field, nil when there is none.
func bearer(fields []Field) []byte {
	for i := range fields {
		if !fold(fields[i].Name, "authorization") {
			continue
		}
		v := fields[i].Value
		const scheme = "bearer"
		if len(v) > len(scheme) && v[len(scheme)] == ' ' && fold(v[:len(scheme)], scheme) {
			return bytes.TrimLeft(v[len(scheme):], " ")
		}
		return nil
	}
	return nil
}

// onUnreadable answers a request that the engine could not read.
func (x *Exchange) onUnreadable(status int, reason string, out *Actions) {
	if x.state == stateNew {
		x.begin()
		x.freshID()
	}
	c := unreadable(status, reason)
	x.own(c)
	if c == causeMalformed && reason != ReasonMalformed && reason != "" {
		at := len(x.arena)
		x.arena = faults[causeUnreadable].err.AppendAbout(x.arena, []byte(reason[:min(len(reason), 200)]))
		x.reply = x.arena[at:]
	}
	if status >= 400 && status <= 599 {
		x.status = status
	}
	x.close(out, endReply)
}
