// Package contract holds the words that the instruments share: stamps,
// outcomes, shapes, profiles, cell keys and the mock's ground truth.
//
// It imports the standard library only. loadgen, mockupstream, matrix and
// results import it; gateway never does, so that the thing measured and the
// things that measure have no code in common.
package contract
