// Command benchjson turns the output of `go test -bench` into one JSON object on stdout.
//
//	benchjson FILE
//
// The object holds what go test says about the machine and, for each benchmark in the order of the file, its package,
// name, GOMAXPROCS, number of runs and every metric by its unit, those of testing.B.ReportMetric included. A file with
// a failed benchmark, or with none at all, gives no object and exit code 1: a script never mistakes half a run for one.
package main
