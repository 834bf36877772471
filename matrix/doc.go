// Package matrix is the laboratory's runner: it expands a spec into cells, puts
// each cell's pieces up, loads them, audits the sums and writes results and
// report. The matrix program is a thin main around Main.
//
// A cell's way through it:
//
//	spec → plan.Expand → [block × cell] → stack.Start → warm-up → measure → drain
//	→ collect → audit → results → report
//
// The parts are under internal: spec, plan, stack (with child and proc), drive,
// join, audit, report, and beside them build, host, progress, bench, compare
// and targets.
package matrix
