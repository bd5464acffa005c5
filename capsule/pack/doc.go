// Package pack finds capsule packages on disk and opens what is in them.
//
// Promised: a package that [Open] returns had a manifest without faults and one
// root module; [Scan] returns the same packages in the same order for the same
// store; no link inside a package or a store is followed.
//
// Not promised: that the module compiles, or that it is the same file at the next
// call: whoever runs it takes the digest of the descriptor it has.
//
// Packed capsules (.mur.zip) are not read by this build; a store that holds one
// says so. The supervisor's catalog calls it.
package pack
