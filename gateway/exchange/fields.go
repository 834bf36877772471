package exchange

import "bytes"

// Names and values that are put into messages.
var (
	nameContentType    = []byte("Content-Type")
	nameRequestID      = []byte("X-Request-Id")
	nameError          = []byte("X-Tollgate-Error")
	nameAllow          = []byte("Allow")
	nameRetryAfter     = []byte("Retry-After")
	nameAuthenticate   = []byte("WWW-Authenticate")
	nameAcceptEncoding = []byte("Accept-Encoding")
	valueIdentity      = []byte("identity")
	valueJSON          = []byte("application/json")
	valueBearer        = []byte("Bearer")
)

// fold reports whether name is lower, which is in lower case, in any case.
func fold(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

func foldPrefix(name []byte, lower string) bool {
	return len(name) >= len(lower) && fold(name[:len(lower)], lower)
}

// hop reports whether a field belongs to the connection that it came by.
func hop(name []byte) bool {
	switch len(name) {
	case 2:
		return fold(name, "te")
	case 7:
		return fold(name, "trailer") || fold(name, "upgrade")
	case 10:
		return fold(name, "connection") || fold(name, "keep-alive")
	case 14:
		return fold(name, "content-length")
	case 17:
		return fold(name, "transfer-encoding")
	}
	return foldPrefix(name, "proxy-")
}

// dropsRequest reports whether a client's field stays here.
func dropsRequest(name []byte) bool {
	switch len(name) {
	case 3:
		return fold(name, "via")
	case 4:
		return fold(name, "host")
	case 6:
		return fold(name, "cookie") || fold(name, "expect")
	case 7:
		return fold(name, "api-key") || hop(name)
	case 9:
		return fold(name, "x-api-key") || fold(name, "forwarded") || fold(name, "x-real-ip")
	case 12:
		return fold(name, "x-request-id")
	case 13:
		return fold(name, "authorization")
	case 14:
		return fold(name, "openai-project") || hop(name)
	case 15:
		return fold(name, "accept-encoding") || foldPrefix(name, "x-forwarded-")
	case 19:
		return fold(name, "openai-organization") || hop(name) || foldPrefix(name, "x-forwarded-")
	}
	return hop(name) || foldPrefix(name, "x-forwarded-")
}

// dropsResponse reports whether an upstream's field stays here; rated: the
// gateway tells limits of its own.
func dropsResponse(name []byte, rated bool) bool {
	switch len(name) {
	case 4:
		return fold(name, "date")
	case 7:
		return fold(name, "alt-svc") || hop(name)
	case 10:
		return fold(name, "set-cookie") || hop(name)
	case 12:
		return fold(name, "x-request-id")
	case 16:
		return fold(name, "x-tollgate-error") || hop(name)
	case 25:
		return fold(name, "strict-transport-security")
	}
	return hop(name) || rated && foldPrefix(name, "x-ratelimit-")
}

// named reports whether a Connection field names name as its own.
func named(fields []Field, name []byte) bool {
	for i := range fields {
		if !fold(fields[i].Name, "connection") {
			continue
		}
		for v := fields[i].Value; len(v) > 0; {
			var token []byte
			if j := bytes.IndexByte(v, ','); j >= 0 {
				token, v = v[:j], v[j+1:]
			} else {
				token, v = v, nil
			}
			if bytes.EqualFold(bytes.TrimSpace(token), name) {
				return true
			}
		}
	}
	return false
}

// names reports whether a Connection field names any field but the usual
// keep-alive and close.
func names(fields []Field) bool {
	for i := range fields {
		if f := &fields[i]; fold(f.Name, "connection") && !fold(f.Value, "keep-alive") && !fold(f.Value, "close") {
			return true
		}
	}
	return false
}

// keepRequestFields copies what goes to the upstream of the client's fields.
func (x *Exchange) keepRequestFields(fields []Field) {
	check := names(fields)
	typed := false
	for i := range fields {
		f := &fields[i]
		if dropsRequest(f.Name) || check && named(fields, f.Name) {
			continue
		}
		typed = typed || fold(f.Name, "content-type")
		x.upFields = append(x.upFields, Field{x.copyOf(f.Name), x.copyOf(f.Value)})
	}
	if !typed {
		x.upFields = append(x.upFields, Field{nameContentType, valueJSON})
	}
}

// addUpstreamFields adds the gateway's own fields; auth replaces the client's
// of the same name.
func (x *Exchange) addUpstreamFields(auth []Field) {
	for i := range auth {
		kept := x.upFields[:0]
		for _, f := range x.upFields {
			if !bytes.EqualFold(f.Name, auth[i].Name) {
				kept = append(kept, f)
			}
		}
		x.upFields = kept
	}
	x.upFields = append(x.upFields, Field{nameRequestID, x.id}, Field{nameAcceptEncoding, valueIdentity})
	x.upFields = append(x.upFields, auth...)
}

// keepResponseFields copies what goes to the client of the upstream's fields,
// and adds the gateway's own.
func (x *Exchange) keepResponseFields(fields []Field) {
	check := names(fields)
	for i := range fields {
		f := &fields[i]
		if dropsResponse(f.Name, x.rated) || check && named(fields, f.Name) {
			continue
		}
		x.fields = append(x.fields, Field{x.copyOf(f.Name), x.copyOf(f.Value)})
	}
	x.fields = append(x.fields, Field{nameRequestID, x.id})
	x.addRate()
}
