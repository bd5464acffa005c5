// Package failpoint lets tests stop or kill a process at named points of its life.
//
// Promised: in a program built without the build tag "failpoint" a point does
// nothing and no variable is read; with the tag, a point does what the variable
// [Env] says, at the first time it is reached.
//
// Not promised: that points keep their names.
//
// The worker hits points, and supervisor/retention; the launcher, when it is built
// with the tag too, hands the variable on. Only tests build with the tag.
package failpoint

// Env is the variable that arms points: one or more commands separated by ";".
// A command is [capsule:]point=action. The actions are:
//
//	kill  abort  segv  stop   the process sends itself that signal
//	exit[:code]               it exits, with code 1 unless one is given
//	pause:path                it writes its pid to path.hit, then waits for a file at path
//
// A command that begins with a capsule's name is for workers of that capsule:
// whoever starts them selects with [For].
const Env = "ROOKERY_FAILPOINT"

// The points of a worker's life, in order.
const (
	// Forked is reached as soon as the process runs, before the start gate.
	Forked = "forked"
	// Gated is reached when the gate has opened.
	Gated = "gated"
	// Handshaken is reached when the supervisor has said hello.
	Handshaken = "handshaken"
	// Assigned is reached when the session is known, before the supervisor is told.
	Assigned = "assigned"
	// Running is reached right before the capsule's code runs.
	Running = "running"
	// RecordWritten is reached when the session's records are on disk.
	RecordWritten = "record-written"
	// Posted is reached when the parent's door has been rung, before the record says so.
	Posted = "posted"
	// Exiting is reached right before the process leaves.
	Exiting = "exiting"
)

// The points of a supervisor's life.
const (
	// Pruned is reached when one session of a tree that is being removed has left its place.
	Pruned = "pruned"
)
