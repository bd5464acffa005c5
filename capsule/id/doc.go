// Package id mints and recognises the ids that name sessions, tasks, contexts,
// delegations, messages, requests and trace events, and resolves the shortened
// ids people type.
//
// Promised: an id is its kind's prefix followed by a UUIDv7 as 32 lower-case hex
// digits; two ids of one process sort in the order they were made; ids are safe
// as one path segment.
//
// Not promised: that an id which is [Kind.Valid] was ever minted, or that ids of
// two processes sort by time to better than a millisecond.
//
// Any package may call it. It does no I/O beyond reading randomness.
package id
