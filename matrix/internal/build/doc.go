// Package build makes the programs that a run starts, and says exactly which
// sources they come from.
//
//	module root → go list (sources, hashed) → per-user cache, or go build → Programs
//
// Versions and commits are read from the built files, never from the
// checkout; hashes of harness and mock are over the sources that build them,
// so that the same instrument has the same hash beside any gateway.
package build
