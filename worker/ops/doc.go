// Package ops is what a guest can ask of its host: one table of ops, each with its
// grant, its request, its answer, its handler and a sentence about it. The decoder, the
// schemas and docs/guest-interface.md are made of the same rows.
//
// Promised: an op that is not in the table, or whose grant the session lacks, does
// nothing; a request that is not understood to the last field does nothing; every
// answer is the guest interface's JSON; a blocked op ends with the call's context
// and with [Calls.Cancel]; a delegation is known here before its guest is told of it;
// an event has the same place in the log at every read, and no outcome is forgotten;
// what a guest can make its host keep, in memory or on disk, is bounded.
//
// Not promised: admission. The supervisor decides on every delegation; what is
// refused here is what it could only refuse too.
//
// The worker's tasks make one Calls for each task. Locks: Children's is held while
// the trace is written, nothing else is held while another is taken.
package ops
