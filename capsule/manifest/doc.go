// Package manifest reads murmur.yaml, in which a capsule says who it is and what
// it needs.
//
// Promised: every key of the format is known. One that this build acts on is
// checked. One that it does not act on yet is named in a warning when it would
// only add something, and refused when it would restrict something or change what
// runs: nothing is silently ignored. All faults of a manifest are reported at
// once with their code, line and field.
//
// Not promised: that a capsule gets what it asks for. The host grants; the
// manifest is the most it may get.
//
// The supervisor and its catalog call it. The worker does not: it is told what it
// may do.
package manifest
