// Package fence marks text that comes from outside, so that a model which reads
// it can tell where it begins and ends.
//
// Promised: a fenced text has exactly one opening and one closing marker, its
// own, whatever the text and the source's name hold; neutralising is a pure
// insertion, does nothing to text without markers, and does nothing twice.
//
// Not promised: that a model heeds the fence. It marks; it does not protect.
//
// Whoever composes text for a model calls it: the outcome message, the worker.
package fence
