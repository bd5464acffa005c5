// Package catalog knows the capsules on disk and keeps the native code made of
// their modules.
//
// Promised: an [Entry] had a manifest without faults and a core module when the
// catalog was opened; what stands in its way is reported, one error for each
// package, and two packages of one name and version are never chosen between in
// silence. Native code that [Cache.Native] returns was made of the module's bytes
// as they are now (of an archive: as they were verified when the catalog was
// opened), by this engine, and has, on the returned descriptor, the digest that the
// ledger recorded when it was made. Code that fails this is set aside,
// said so in the log, and made anew. One module is compiled once, however many
// ask.
//
// Not promised: that a capsule which was added later is found, or that nobody with
// the rights of this process changes a file that a worker has mapped.
//
// The supervisor's command line opens a catalog; delegation and roots look
// capsules up in it.
package catalog
