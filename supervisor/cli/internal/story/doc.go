// Package story words the events of a session's trace for a person.
//
// It promises one line for every line it is given, whatever that holds: an event of a kind it does not know is told with its own names.
// It does not promise that a line is safe to print: a capsule may have written parts of it, and whoever prints escapes it.
package story
