// Package logstore keeps the request log: one row per request, written once.
//
// A store is three parts in a line:
//
//  1. a bounded queue, which Append copies the row into under one short lock
//     and without allocating;
//  2. a flusher, one goroutine that swaps the filled buffer for an empty one
//     and commits what it got, in batches, in order;
//  3. a backend, which makes one batch durable, whole or not at all: package
//     sqlitelog or package pglog. The store "memory" is a ring instead, and
//     "off" is nothing.
//
// What a durability promises about a row whose Append returned:
//
//	sync   it is committed, in a transaction of its own, before Stored(nil)
//	group  the same promise; rows of concurrent requests share a commit
//	async  it is committed within FlushInterval plus one commit; a crash loses
//	       at most what is queued, and never more than QueueRows
//
// Stored(err) with an error means that the row is not known to be durable. It
// can still be there, when a server went away in the middle of a commit.
//
// Sequence numbers run from 1 without gaps over the rows that a writer
// accepted; (epoch, writer, seq) names a row for good. Every row handed to
// Append ends in exactly one of Stats' Stored, Dropped and Failed.
package logstore
