// Package results is the data of the lab: what one run measured, how it is
// written, read back, summarised and chosen for publication.
//
// A run is a folder results/runs/<utc>-<host>-<commit>/ whose run.jsonl is
// append-only. Each line is a JSON object with one member that names its kind:
//
//  1. header, once and first: what ran, where, from which sources;
//  2. repetition, one per cell, block and attempt under load;
//  3. section, for what is measured without load (boot times, direct calls);
//  4. final, once and last: how the run ended.
//
// Units are in names: _ns, _bytes, _per_s. Times of day are UTC. Histograms
// are HdrHistogram V2, compressed and base64, 1 ns to 10 min with 3 digits.
//
// Reading is strict: an unknown member, kind or version is an error. Only a
// last line that was torn by a crash is forgiven, as a warning beside the run.
//
// published.yaml maps each section of BENCHMARKS.md to the run that feeds it.
package results
