// Package waterfall measures what each layer of the gateway costs: CPU time
// and allocations of one request, with no socket.
//
//	Layers → configurations, each with one layer more → blocks → results.Waterfall
//
// All configurations live in one process and are visited in turn within a
// block, forth and back (A B C C B A), so that a drift of the host's speed
// that is even over a block falls on all alike; what a layer adds is the
// difference between two configurations of the same block. Each block has
// fresh cores, accounts and stores, since where their memory lies is luck that
// a layer must not be charged with.
//
// CPU time is the process's, so that what other goroutines do for a layer (the
// log store's writer) is charged to it: a visit ends when the store has every
// row. Garbage is collected before a visit, not within, unless the visit itself
// makes enough of it.
package waterfall
