// Package house keeps the laws of this repository as tests: which folder may import which, which package may use
// which library, what the worker must not link, and what no source file may hold.
//
// It has no code for others to call. Every law is a function over source files or over the list of what a program
// links, with a table of sources that break it, so that a check that has stopped finding anything fails as well. The
// laws are read from the sources by syntax, whatever their build tags; what a program links is asked of `go list`.
// docs/adr/0002-laws-as-tests.md says why they are tests and not only lint rules.
package house
