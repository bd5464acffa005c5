// Package fleet reads the file in which an operator says what a host runs and
// how much of it.
//
// Promised: every key of the format is known, and all that is wrong with a file is
// reported at once, with file, line and field. A key that this build does not act
// on is refused with a sentence that says so, unless its value asks for exactly
// what this build does anyway; nothing is accepted and ignored. Relative paths are
// relative to the file. What a [Fleet] holds is complete, defaults filled in.
//
// Not promised: that the folders exist, or that the store holds the capsules that
// are named: that is for layout and catalog to say.
//
// The command line of the supervisor calls it.
package fleet
