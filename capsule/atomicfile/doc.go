// Package atomicfile replaces small files so that no reader and no crash ever
// meets half of one.
//
// Promised: a reader sees the whole old content or the whole new content; when a
// call returns nil the new content survives a power cut, its name included; a
// failed call leaves the old content and no temporary file; a link in the file's
// place is replaced, never followed.
//
// Not promised: that folders above the file's own are durable, and that a process
// killed inside a call leaves no temporary sibling. Temporary names begin with
// [TempPrefix]; whoever knows that no writer lives removes them with [Sweep].
//
// Any package may call it.
package atomicfile
