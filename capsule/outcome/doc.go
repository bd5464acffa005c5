// Package outcome is what a delegation leaves behind: the record on disk, the
// text the delegating task is told, and the answer it is handed.
//
// Promised: the record's bytes and both texts are those other implementations
// write and read; a file that is not a whole, valid record is never taken for
// one, and the reason is returned; details and answers are bounded on a
// character boundary and every cut is marked; what a child wrote cannot end the
// fence it stands in.
//
// Not promised: that a record is true. A child's worker writes one about itself;
// the supervisor decides what of it counts.
//
// The worker writes records, the supervisor reads, decides and writes, and both
// compose texts. Nobody else calls it.
package outcome
