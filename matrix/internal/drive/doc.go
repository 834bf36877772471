// Package drive runs a plan: each repetition from its first process to its
// audit, and writes what was measured.
//
//	canary → Start → warm-up and measured part (CPU sampled) → Drain → collect
//	→ audit → Close → canary → Repetition → (noisy: again) → marks → Writer
//
// Repetitions of a section's block are written together when the block is
// through, since its floors decide which of its cells were bound by the rig.
// An interrupted run writes what it has.
package drive
