// Package trace writes a session's trace.jsonl: one JSON object a line, in the
// shape other implementations read.
//
// Promised: every line is written whole, by one write, in the order of the calls;
// the common fields come first and in order; a parent's line stands above its
// children's; peer file handles are redacted; the first failure is reported once,
// and nothing is written after it.
//
// Not promised: that lines survive a power cut. The records do.
//
// The worker calls it; one Writer belongs to one session.
package trace
