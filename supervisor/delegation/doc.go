// Package delegation runs sessions: it admits delegations, starts workers, ends them, and decides how each of them ended.
//
// It promises that every durable intent gets exactly one outcome, decided here and nowhere else, after the process is gone; that the
// record is on disk before the ledger says ended, and the ledger before anybody is told, tried again until the disk takes it; that a cause
// of an end is durable before anything is done to a process, unless a supervisor that stops cannot write any more; that children are ended
// before a session that is ended on purpose, and right after one that ended by itself; and that no budget is exceeded however many ask at
// once.
//
// It does not promise that a capsule did what its answer says: an answer is data that is bounded and fenced, never read.
//
// The Host service, the operator service and the roots call it. Nobody else changes the ledger's sessions and delegations.
//
// There are two locks, and one each for the rates and the feeds, behind which none is taken. Tree.causes is taken before Tree.mu, and
// neither is held while a worker is waited for: causes is held while causes are committed, so that no session is settled between its cause
// and the look at its record; mu guards the map of runs.
package delegation
