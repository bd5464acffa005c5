// Package door serves a capsule's HTTP door: its agent card, and the JSON-RPC
// endpoint at which a child's completion rings.
//
// Promised: every request is bounded in size and time, and so is the number of
// connections; a refusal is a code and one sentence; a completion changes nothing
// here, it only asks the supervisor; what the card claims is served.
//
// Not promised: task methods. There are none yet: they answer "Method not found",
// and the card lists none.
//
// The worker opens one door for its session, on the listener it inherits.
package door
