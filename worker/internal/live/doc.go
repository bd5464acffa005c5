// Package live is the state of a session's one task while it lives: what ops change
// and the door shows.
//
// Promised: a state that is terminal stays; a message is taken by the task only while
// it asks for input, one message for each question, and whoever sent it knows by the
// answer whether it was taken; a question ends with its context or its time.
//
// Not promised: that anything is kept. Records are package tasks'.
//
// The worker's tasks make one Task; ops and door use it.
package live
