// Package crash words how a worker's process ended when it left no record.
//
// Promised: the text names the exit status first, then what the worker's own dump begins with, then the guest's last lines;
// it is bounded as a detail is. Dump and lines are data that the worker or the guest wrote: unprintable characters of the
// dump's line are escaped, the guest's lines are kept as they are.
//
// Not promised: that the dump is true. The exit status is the kernel's, the rest is what the process left.
//
// The launcher and the supervisor's arbiter use it.
package crash
