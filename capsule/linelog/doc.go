// Package linelog keeps a process's output as a bounded file of bounded lines.
//
// Promised: the file never grows beyond its limit; no line is longer than its
// limit; every cut says so in the file; a write never fails and never waits for
// more than the disk, so output cannot stop whoever makes it; peer file handles
// are redacted, also when they arrive in pieces.
//
// Not promised: that a full disk keeps anything (what is lost is counted), that an
// unfinished line is on disk before [Log.Flush], and that lines are safe to show:
// they are data, escape them before a terminal.
//
// The worker writes a guest's output through it, the supervisor reads tails.
package linelog
