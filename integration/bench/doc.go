// Package bench measures what a process for each capsule costs: starting one, noticing that it has died, and telling its parent; and what a
// host of many costs: to look at, to watch, in memory, and when one of them floods it.
//
// It promises that every number is taken beside its baselines in the same run: a benchmark works in rounds, a round takes each of its
// rows once, so that a busy minute falls on all of them alike. A row reports its median and its 95th percentile in milliseconds, and
// for what has an aim its ratio to the baseline. Rows of memory and of what is held have one number of each kind. BenchmarkFlood has no
// rounds: each of its rows lasts for a while.
//
// It does not promise that a number means anything on a machine that does other work meanwhile; ratios suffer less. It fails on an
// error and never on a slow machine.
//
// Only `go test -bench` runs it. It needs what `./dev build` makes, and gcc. -benchtime is a number of rounds ("30x", the default).
package bench
