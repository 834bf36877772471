// Package export turns a run into formats that other tools read:
//
//   - Go benchmark format, for the stock benchstat: one line per cell and
//     repetition, with units and what is better of each;
//   - HdrHistogram log, for the HdrHistogram plotters;
//   - CSV, one row per cell and repetition;
//   - vegeta results (JSON or CSV), where a run kept a record per request.
package export
