// Package micro holds benchmarks of the gateway's hot path: one file for each
// part of it, names as keyed data ("/body=52KB"), and beside each row a floor
// that does the least any solution must do.
//
//	go test -bench . ./micro
//	go test -bench BenchmarkScan/body=52KB ./micro
package micro
