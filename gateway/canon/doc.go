// Package canon is the one form that every dialect is translated into and out
// of: N + M codecs instead of N × M.
//
// A request is a Request. An answer, streamed or whole, is a sequence of
// Events; a whole one is the same sequence at once, and an Accumulator turns
// either into an Answer. A decoder of an upstream's dialect makes events, an
// encoder of a client's dialect renders them, so that each pair of dialects
// meets here and nowhere else.
//
// Strings of events stay as they were in the source's JSON, still escaped
// (Raw): all dialects are JSON, so most text crosses from one to the other
// without being read. Strings of a Request are decoded.
//
// What a dialect cannot say is a Loss: refused, when the answer would mean
// something else without it, or dropped with a warning.
//
// The package imports the standard library only and does no I/O.
package canon
