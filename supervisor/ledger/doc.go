// Package ledger is what the supervisor knows: every session and every
// delegation, from the intent that comes before the process to the record that
// comes after it.
//
// Promised: a change that a call answered with nil is on disk, and no reader sees
// a change before it is. A session and its delegation change together or not at
// all. Terminal states absorb: whatever is decided first stays. Admission runs in
// the one writer, so budgets hold however many ask at once. A repeated request
// gets the delegation that the first one made. Reads come from memory and wait
// for no writer, no disk and no worker. A watcher that falls behind is told so
// and holds nobody up.
//
// Not promised: that a call whose write failed (a full disk) left nothing behind;
// until the next start memory says that it did not happen, and the next start
// reads what the disk has. Nothing here looks at a process: whoever calls Finish
// knows that it is gone.
//
// Any part of the supervisor may read. Only supervisor/delegation changes
// sessions and delegations, but that supervisor/roots notes what followed a root's
// end; only supervisor/catalog writes native digests. Only supervisor/retention
// removes anything, and only what has ended.
//
// There are two locks, always taken in this order: Book.mu (the committed rows),
// then watchers.mu. The rows that the writer works on have no lock: they belong
// to the store's writer goroutine, which takes Book.mu only to publish a commit.
package ledger
