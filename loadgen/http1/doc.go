// Package http1 reads HTTP/1.1 answers for the load generator.
//
// A Parser is fed whatever bytes a read brought, in pieces of any size, and
// gives back the body bytes among them without copying. It does no I/O, keeps
// no clock and allocates nothing once its buffers have grown, so that it can
// be split at every byte in tests and costs little in a measurement.
//
// It is strict: there is one way to read an answer, and an answer that could
// be read in two ways is an error. The generator is a witness against the
// gateway, so it shares no code with it.
package http1
