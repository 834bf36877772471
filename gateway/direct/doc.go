// Package direct drives exchanges with no socket: a request and an upstream's
// answer go in as bytes, the client's answer comes out. It is what the direct
// shape of the laboratory measures, and what tests of the exchange are written
// with. Its own cost is one copy of the request's body and one of the answer's.
package direct
