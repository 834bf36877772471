// Package conn is the default engine: one goroutine per client connection on
// raw connections, HTTP/1.1 by package wire, TLS on either side.
//
// The goroutine that reads a request also writes it to a pooled upstream
// connection, reads the answer and writes that to the client; no other
// goroutine takes part, so a small answer costs two reads and two writes. What
// that goroutine cannot do while it is blocked, one sweeper per engine does
// (sweep.go): every tick it looks at the phase that each connection has
// published, and pushes those that are overdue, or whose client has left, out
// of their system call by a deadline in the past. No deadline is set per
// request.
//
// The order of a request: serve (one connection) → request (one head) → drive
// (events into the exchange, until it is done) → perform (the actions of one
// step) → drain. Output is gathered (output.go) and written when the goroutine
// is about to block, so the answers of several steps leave in one system call.
//
// Known differences from engine nethttp: header names keep the case that they
// were sent in; HTTP/1.1 and 1.0 only; a client that closes its writing side is
// taken to have left, unless it had sent more than one request ahead
// (probe.go).
package conn
