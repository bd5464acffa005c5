// Package guide writes docs/guest-interface.md out of the table of ops.
//
// Promised: what the page says of an op is what its decoder and its answer are made of;
// a test fails when the page in docs is not what this package writes.
//
// Not promised: anything at run time. No program but internal/tools/guestdoc links it.
package guide
