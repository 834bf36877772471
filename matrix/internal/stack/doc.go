// Package stack puts the pieces of one repetition up and takes them down:
// mock, gateway, generator, log store; fresh for every repetition.
//
//	cell + Site → Start → Stack (load, ground truth, ledger, log rows, pids) → Close
//
// Three forms: InProcess (servers of this process on real loopback sockets),
// External (a process each) and, for shape direct, a driver without sockets
// (package gateway/direct, called by package drive).
package stack
