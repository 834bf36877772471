// Package sse reads Server-Sent Events (the WHATWG HTML standard, "Interpreting
// an event stream") for the load generator.
//
// A Parser is fed body bytes in pieces of any size and gives back the data of
// one event after the other. A split at any byte changes nothing. An event
// that arrives whole with one data line is returned without copying.
package sse
