package accounts

import (
	"math/bits"

	"github.com/tollgate-lab/tollgate/gateway/shm"
)

// LayoutName names the meaning of the words below; it changes with any of them.
const LayoutName = "accounts/1"

// MaxSlots is the most workers that a region serves. It is part of the layout,
// so that a gateway restarted with more workers finds its budgets.
const MaxSlots = 64

// Words of an account. Two cache lines, so that two keys never share one.
const (
	wDigest      = iota // SHA-256 of the token, 4 words; all zero: free row
	_                   //
	_                   //
	_                   //
	wLastSeen           // Unix seconds of the last start whose config had the key
	wSpentNano          // since the row was made, 1e-9 dollars
	wSpentTok           //
	wCommitNano         // tagged: committed in the period, 1e-9 dollars
	wCommitTok          // tagged
	wRPM                // theoretical arrival time, Unix ns
	wTPM                //
	wAdmitted           // requests admitted
	wRefused            // requests refused
	wForfeitNano        //
	wForfeitTok         //
	_                   // room for one more
	rowWords
)

// Words of a reservation area: per slot and row.
const (
	hNano  = iota // reserved now, 1e-9 dollars
	hTok          //
	hCount        // reservations
	_
	holdWords
)

// minKeys is the room that a fresh region has, so that most configs never make
// it grow.
const minKeys = 1024

// Words is the number of words of a region with room for so many keys, the next
// power of two above twice their number: keys that left the config keep their
// rows until the room is needed.
func Words(keys int) int {
	room := max(minKeys, 1<<bits.Len(uint(2*keys)))
	return room * (rowWords + MaxSlots*holdWords)
}

// Capacity is the number of keys that r has room for.
func Capacity(r *shm.Region) int { return r.Len() / (rowWords + MaxSlots*holdWords) }

// rowAt is the first word of an account.
func rowAt(row int) int { return row * rowWords }

// holdAt is the first word of what slot has reserved on row. A slot's words lie
// together, away from other slots'.
func holdAt(capacity, slot, row int) int {
	return capacity*rowWords + (slot*capacity+row)*holdWords
}
