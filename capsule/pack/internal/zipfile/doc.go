// Package zipfile reads zip archives that strangers made.
//
// Promised: an archive that [Read] returns means one thing. Every byte of it
// belongs to one entry or to the directory at its end; what an entry says of
// itself beside its data and what the directory says of it is the same; no two
// names are one name on a file system that folds case. Reading an entry yields
// exactly the bytes that its size and checksum promise, or an error; never more
// than the size, whatever the compressed data would unpack to. Nothing is
// allocated by what the archive claims before the claim is held against a limit.
//
// Not read, and said so: encryption, methods but stored and deflated, zip64, split
// archives, a comment at the end, links and devices.
//
// Nothing is ever unpacked to a path: who calls it asks for entries by name. Only
// package pack may.
package zipfile
