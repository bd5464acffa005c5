// Package proc starts processes, holds them by pidfd and learns how they ended.
//
// Promised: a [Handle] never signals a process but its own, whatever happens to the pid: signals go through the pidfd, and
// the group is killed before the leader is reaped, while its id cannot be given to others. [Handle.Done] closes as soon as
// the kernel has the exit; waiting costs a goroutine in the network poller and no thread. A started process is always
// reaped, its descriptors are exactly those given, its environment is exactly the one given.
//
// Not promised: that a descendant which left the group (setsid) is reached, and the exit status of a process that is not
// our child: its parent has that.
//
// Only launcher may call it, and the supervisor where it verifies what the ledger says about processes.
package proc
