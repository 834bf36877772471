package exchange

import (
	"github.com/tollgate-lab/tollgate/gateway/logrow"
)

// refuse answers a fixed error.
func (x *Exchange) refuse(c cause, out *Actions) { x.refuseFor(c, 0, out) }

// refuseFor answers a fixed error; waiting for retryNs helps, when it is not 0.
func (x *Exchange) refuseFor(c cause, retryNs int64, out *Actions) {
	x.own(c)
	if retryNs > 0 {
		x.fields = append(x.fields, Field{nameRetryAfter, x.integer(seconds(retryNs))})
	}
	x.close(out, endReply)
}

// refuseQuoting answers an error whose message quotes a part of the request.
func (x *Exchange) refuseQuoting(c cause, about []byte, out *Actions) {
	x.own(c)
	at := len(x.arena)
	x.arena = faults[c].err.AppendAbout(x.arena, about)
	x.reply = x.arena[at:]
	x.close(out, endReply)
}

// own prepares an error of the gateway's own as the answer.
func (x *Exchange) own(c cause) {
	f := &faults[c]
	x.status, x.reply, x.reason = f.status, f.body, f.reason
	x.outcome = logrow.Rejected
	if f.status >= 500 {
		x.outcome = logrow.GatewayError
	}
	x.fields = append(x.fields[:0],
		Field{nameContentType, valueJSON},
		Field{nameError, f.mark},
		Field{nameRequestID, x.id})
	switch c {
	case causeMethod:
		x.fields = append(x.fields, Field{nameAllow, x.copyOf([]byte(routes[x.route].methods))})
	case causeNoKey, causeBadKey, causeDisabled:
		x.fields = append(x.fields, Field{nameAuthenticate, valueBearer})
	case causeOverloaded, causeShutdown, causeLogStore:
		x.fields = append(x.fields, Field{nameRetryAfter, x.integer(1)})
	}
	x.addRate()
}

// serve answers what the gateway knows itself.
func (x *Exchange) serve(status int, contentType string, body []byte, out *Actions) {
	x.status, x.reply = status, body
	x.outcome = logrow.Answered
	x.fields = append(x.fields[:0],
		Field{nameContentType, x.copyOf([]byte(contentType))},
		Field{nameRequestID, x.id})
	x.close(out, endReply)
}

// sendReply writes an answer of the gateway's own.
func (x *Exchange) sendReply(out *Actions) {
	x.respond(out, int64(len(x.reply)))
	if !x.head {
		x.write(out, x.reply)
	}
	out.List = append(out.List, Action{Kind: ActFinish})
}

// respond begins the response.
func (x *Exchange) respond(out *Actions, length int64) {
	x.responded = true
	out.List = append(out.List, Action{Kind: ActRespond, Status: x.status, Fields: x.fields, ContentLength: length})
}

// write writes body bytes to the client.
func (x *Exchange) write(out *Actions, data []byte) {
	if len(data) == 0 {
		return
	}
	x.emitted += int64(len(data))
	out.List = append(out.List, Action{Kind: ActWrite, Data: data})
}
