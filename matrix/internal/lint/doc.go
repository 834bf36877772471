// Package lint looks for figures that cannot be: in a run's folder, and in the
// tables of a Markdown file from anywhere.
//
//  1. [Parse] reads a Markdown file into sections, paragraphs and tables, with
//     the line of each.
//  2. Columns are recognised by name and unit ([classify]), cells by number
//     and unit ([ParseQuantity]). What is not recognised is in no rule.
//  3. Each rule of [Rules] checks one relation that holds whatever was
//     measured: Little's law, the floor, the order of percentiles, a claim
//     against the figures beside it.
//  4. A [Finding] names the place, what was read there, why it cannot be and
//     what would be consistent.
//
// Rules allow for rounding (half of the last digit shown) and for a spread
// that stands in the cell, and say nothing where a figure is missing. A length
// that differs between rows, of bodies or of answers, breaks none of them.
//
// [Run] checks the records of a run before anything was rounded or merged.
package lint
