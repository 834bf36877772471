// Package audit asks of every cell whether anything was lost: it compares what
// the generator, the gateway's ledger, the log store and the mock each counted
// on their own.
//
//	Facts (counts and joined rows, gathered after the drain) → Run → results.Audit
//
// Every check is a value with what was wanted and what was found. A check
// that does not apply to a cell is absent from its list, never a pass.
package audit
