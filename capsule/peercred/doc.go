// Package peercred makes gRPC over a unix socket say, by the kernel's word, which process is at the other end.
//
// Promised: a connection is refused before the first byte of gRPC unless the check agrees with the other end's pid and uid,
// as SO_PEERCRED has them; a process that has ended since is refused too, where the kernel can tell (Linux 6.5), so that its
// pid cannot speak for whoever has it now. An RPC's own process is found with [FromContext].
//
// Not promised: secrecy or integrity beyond the kernel's (a unix socket needs none), and that the process which made the
// connection is the one that uses it: a descriptor can be handed on. SO_PEERCRED names who called connect, or, seen from the
// client, who called listen.
//
// Both programs use it, each at both ends.
package peercred
