// Package engine is what every way of driving exchanges over sockets has in
// common: its options and its interface. The engines are sub-packages:
//
//   - conn: a goroutine per client connection on raw connections, with the
//     codec of package wire; the default.
//   - nethttp: the standard library's server and transport; HTTP/2, embedding
//     in another mux, and the oracle of the conformance suite.
//
// An engine owns framing, connections, time limits and order; what is asked of
// an upstream and answered to a client is decided by the exchange that it
// drives. Package enginetest is the suite that each engine passes.
package engine
