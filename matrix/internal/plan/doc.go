// Package plan turns a spec into the exact list of what will run, in order.
//
//	spec + what the host offers (Facts) → Expand → blocks of items
//
// Expand is pure: the same spec, seed and facts give the same plan, byte for
// byte. A cell that cannot run here stays in the plan with its reason.
package plan
