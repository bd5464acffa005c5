// Package shard cuts a folder of source files into tasks for counters. It is the part of the census example that its two
// capsules agree on: the orchestrator writes a Task, a counter reads it.
//
// A task travels as text inside a request of the guest interface, which may have 1 MiB; Reader keeps every task under
// that, counted as it is encoded. Files are read one by one, so a folder larger than the capsule's memory is no problem.
// What is left out of the census (links, binaries, files too large to hand over) is reported with the reason, never
// dropped in silence.
package shard
