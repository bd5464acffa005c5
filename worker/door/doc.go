// Package door serves a capsule's HTTP door: its agent card, and the JSON-RPC endpoint
// at which a child's completion rings, the session's task is looked at, and a task that
// requires input gets it.
//
// Promised: every request is bounded in size and time, and so is the number of
// connections; a refusal is a code and one sentence; a completion changes nothing
// here, it only asks the supervisor; what the card claims is served.
//
// Not promised: new tasks. A session has the one it began with, and a message that names
// no task is answered with one that is rejected. Methods but SendMessage and GetTask are
// not there, and a task's own artifacts are not shown.
//
// The worker opens one door for its session, on the listener it inherits.
package door
