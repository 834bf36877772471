// Package report turns runs into text, as a pure function of its input:
//
//  1. Render fills the generated regions of BENCHMARKS.md from the published
//     runs and leaves the prose between them alone;
//  2. Run writes report.md of a single run;
//  3. Terminal prints a run's tables, narrower;
//  4. Plots draws the headline sections.
//
// Every figure is a median over repetitions, or a percentile of merged
// histograms, with its spread; what does not stand by the rules of package
// results is not printed as a number. Two shapes never share a table.
package report
