// Package pack finds capsule packages on disk, opens what is in them, and makes
// archives of them.
//
// A package is a folder, or an archive called <name>-<version>.mur.zip beside a
// file with its SHA-256.
//
// Promised: a package that [Open] returns had a manifest without faults, one root
// module that is a core module by its header, and every file that its manifest
// requires. One that is an archive had the digest that stands beside it, was sound
// in every byte, and its module was unpacked once to its end. What
// [Package.OpenModule] returns of an archive is that module, whatever happened to
// the file since. [Scan] returns the same packages in the same order for the same
// store. No link inside a package or a store is followed, and nothing of an archive
// is ever written to a path. [Build] gives the same bytes for the same content,
// wherever and whenever it runs.
//
// Not promised: that a module compiles ([Package.CheckStart] finds what certainly cannot start), or that the module in a folder is the same
// file at the next call: whoever runs it takes the digest of the descriptor it has.
// A digest beside an archive tells damage from what was packed, not who packed it.
//
// The supervisor's catalog and command line call it.
package pack
