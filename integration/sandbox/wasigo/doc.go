// Command wasigo runs tests of Go's own standard library as guests of the worker's WASI.
//
//	wasigo [-v] PACKAGE...
//
// Each package's tests are built for wasip1 and run with a root folder of their own, which holds the package's sources, Go's
// time zones and a folder for temporary files. It prints each test that failed with what it said, then one line with the counts for
// each package. docs/wasi.md lists the failures that are expected, and why. Exit codes: 0 the tests could be run, 1 not, 2 wrong use.
package main
