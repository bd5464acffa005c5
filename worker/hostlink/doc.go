// Package hostlink is a worker's one connection to its supervisor's Host service.
//
// Promised: the connection is made again for as long as the link is open, also to
// a supervisor that takes the place of one that died; calls that may be repeated
// are, under the same id, until their context ends; every outcome released to
// this session is kept once, in the order of release, and acknowledged after
// it was kept; waiters are woken, nothing polls.
//
// Not promised: that a supervisor is there. [Link.AwaitOrphaned] says when one has
// been missing for too long.
//
// The worker's main opens one link; ops, tasks and door use it. Locks: presence,
// Outcomes, acknowledger and teller have one each; none is held while another is taken.
package hostlink
