// Package roots keeps the capsules that a fleet names: it starts them, runs them again as their restart policies say, and tells how each
// of them ended for good.
//
// It promises one result for every root it was given, also for one that could not be started; that a root is started at most Max times
// within its window and then given up, which its result, its session and an event say; that a root which may run again keeps one address
// for as long as its supervisor runs, where status 503 is answered while nothing runs; that what an operator ended stays ended; and that a
// root which ended by itself before its supervisor died is not run again against its policy.
//
// It does not promise that a run begins where the one before it stopped: every run is a new session with the same task. It does not end
// anything itself, and it starts no root that an operator launched.
//
// Package daemon owns the Set; operators reach Run through it.
package roots
