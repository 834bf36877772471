// Package enginetest is the suite that every engine passes: real sockets on
// loopback, a real exchange core, and upstreams whose every byte a story
// scripts. A story never sleeps; it waits for bytes, for a connection's end, or
// for something that can be observed (a counter, a row) with a deadline.
//
// What an engine may do differently is a field of Traits, with the reason in
// the engine's own package documentation; everything else must be equal.
package enginetest
