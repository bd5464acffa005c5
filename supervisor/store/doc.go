// Package store keeps the supervisor's rows on disk, in one bbolt file that only
// this package opens.
//
// Promised: when Update returns nil, what its function wrote survives a power
// cut. Functions of several callers share one commit; one that fails leaves
// nothing behind and disturbs no other. An Update that returns its context's
// error was never begun. Before bbolt reads a file the shape of all its pages is
// proven, so that a damaged one cannot end the process. Every value carries a
// checksum, which is verified for the whole file when it is opened and again at
// each read. A file that is damaged is set aside under a name of its own, never
// deleted and never repaired, and an empty one takes its place. Close waits for the
// commit under way.
//
// Not promised: that a group whose commit failed is absent from the file: after a
// failed flush nobody knows; the next Open reads what is there. A value that was
// replaced by an older valid one is not noticed. Nor is damage to pages that happens
// while the file is open.
//
// Only supervisor/ledger reads and writes rows. [Lock] stands apart: whoever
// brings a host up holds it, so that a second one is refused before it touches
// anything.
package store
