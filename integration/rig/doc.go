// Package rig starts the real programs for the tests of integration/: a supervisor on a state folder of its own, its command line
// from a second process, its operator API, and what it leaves on disk and in the kernel.
//
// It promises that every wait is for a condition and has a bound, that a test which fails shows what the programs said, and that a
// test leaves no process and no folder behind, however it ends.
//
// It does not promise anything about a host that a test has damaged on purpose: what is left of it is killed by what its own
// environment says, never by name.
//
// Only tests may import it.
package rig
