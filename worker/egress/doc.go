// Package egress is the only way a worker opens a connection to anything but its
// supervisor.
//
// Promised: no proxy, no redirect, no reuse of connections, no name of the
// environment decides where a request goes; the time and the size of an answer
// are bounded; a peer that cannot be reached is told by the words "failed to
// connect".
//
// Not promised: that the caller may reach the address. Whoever composed it decided that.
//
// The worker's tasks call it.
package egress
