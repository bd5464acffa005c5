// Package handle reads and writes the spawner handle: the one environment
// variable from which a delegated capsule knows who delegated to it and where to
// ring when it ends.
//
// Promised: what [Spawner.EnvValue] writes, [Parse] reads back; an unreadable
// value is an error and never looks like "not delegated"; errors do not repeat
// the value.
//
// Not promised: that the session, the delegation or the address exist, or that
// the value was not written by somebody else. The handle informs; authority comes
// from the process that asks.
//
// The launcher composes it into a child's environment, the worker reads it.
package handle
