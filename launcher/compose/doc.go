// Package compose puts together what a worker and its guest are given: two environments, each from nothing; the session's
// folders, held by descriptor; the door's listener.
//
// Promised: neither environment holds anything of the supervisor's own; what env.allow lets through displaces no name that
// belongs to the runtime; every folder made here is closed to other users.
//
// Not promised: that the allowed values are harmless. They are what the operator wrote.
//
// Only launcher may call it, and the supervisor for [GuestEnv].
package compose
