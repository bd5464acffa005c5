// Package events keeps what happened on this host for those who watch it: a ring of the latest events, each with a number that goes on.
//
// It promises that whoever adds an event waits for no reader, that the ring is bounded however many read it, that a reader gets every
// event in order or is told how many it missed, and that no event holds more of a capsule's text than a bounded detail. States are
// told from the ledger's rows, each that a row has passed through, also when several changes of it were seen as one.
//
// It does not promise that events outlive the supervisor: a later one begins a new ring, whose numbers are higher. What must be kept
// is in the ledger and the records.
//
// The daemon makes the ring, package delegation's refusals and the ledger's changes fill it, package operator reads it.
package events
