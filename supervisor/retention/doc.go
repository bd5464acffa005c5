// Package retention bounds what a host keeps of the past: records, work folders of its own making, rows of the ledger, native code that no
// installed capsule uses, and databases that were set aside.
//
// It promises that trees go as a whole, oldest first, once the last of their sessions has ended; that nothing of a session that lives is
// touched, nor a work folder of the operator's choice, nor the latest session of a root of the fleet, whose end the next supervisor may
// have to know; that no path is followed out of the state folder, whatever a capsule left in its own; and that a removal which was cut off
// is finished before anything is served again: records leave their place in one step, the ledger's rows go last.
//
// It does not promise that the bound on bytes holds: what lives is not removed, and what is removed is looked for once an hour. The
// database itself does not shrink, but the room of its rows is used again.
//
// Package daemon runs one Pruner for each state folder, under the folder's lock. Floor is asked before anything begins.
package retention
