// Package nethttp is the engine on the standard library: http.Server before
// the exchange, http.Transport behind it. It is for HTTP/2, for embedding in
// somebody's mux (Engine is an http.Handler), and for comparing engine conn
// with. It costs several times as much per request as conn.
//
// It differs from conn in what the standard library does before a handler
// sees the request, or after it wrote the answer:
//
//   - Header names are in canonical form in both directions, fields of one name
//     stand together, and names are in alphabetical order.
//   - A head that cannot be read is answered by net/http itself, in plain text,
//     and no exchange begins. Limits.MaxHeadBytes is kept here; net/http's own
//     limit is 4 KB above it.
//   - net/http also reads what conn refuses: lines that end in a bare LF, a
//     repeated equal Content-Length, empty lines before a request.
//   - A head that does not come in time closes the connection without a 408.
//   - A client that closes its writing side is always taken to have left, also
//     when it had sent requests ahead.
//   - A write is buffered: what a failed flush held counts as delivered whole.
//   - An answer to HTTP/1.0 without a length that is aborted ends like a whole one.
//   - Times and sizes of the head and idle connections are those of the core
//     at the start; a newer core's apply after a restart.
//   - Connections above Limits.MaxConns wait in the accept queue; conn closes them.
package nethttp
