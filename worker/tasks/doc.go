// Package tasks is the life of a worker's one session and its one task: it
// prepares the work folder, runs the capsule, ends what it left running, keeps its
// answer, writes the record and rings the parent's door.
//
// Promised: every session that this process lives to see the end of leaves one
// record before anybody is told, completion.json when it was delegated and end.json
// when it was not; except one that was asked to end, which leaves none. A guest is out of the way
// 700 ms after the first reason to stop it, if need be together with the process.
// No step waits without a bound.
//
// Not promised: that the outcome is what the records say. The supervisor decides.
//
// The worker's main makes one Session. Locks: Session.mu guards a few words and is
// held over no call.
package tasks
