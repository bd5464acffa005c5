// Package beneath opens, reads, writes and removes files under a folder that is
// held by a descriptor, for names that come from outside: a capsule, a peer, a
// manifest.
//
// Promised: no call leaves the held folder, whatever the name and whoever changes
// the tree meanwhile: the kernel resolves the name in one openat2 call that
// refuses "..", magic links and every symbolic link. A name that is absolute, or
// has an empty, "." or ".." segment, is refused before any system call. Reading a
// file never blocks on a pipe and never returns more than the stated bound.
//
// Not promised: anything about hard links and mounts beneath the folder (both
// need rights a capsule has not), and that a folder made here survives a power
// cut before [Dir.Sync] of its parent.
//
// A [Dir] may be used by several goroutines; Close must come after their calls.
// Errors are *fs.PathError with the name as it was given, never a host path.
package beneath
