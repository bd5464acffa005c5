package delegation

import (
	"rookery/capsule/outcome"
	"rookery/supervisor/ledger"
)

// own is what a session's worker wrote about itself, already checked to be about that session: a child's completion or a root's end.
type own struct {
	status outcome.Status
	detail string
	// unheard is why the child could not ring its parent's door, "" when it could or need not. It decides nothing.
	unheard string
}

// evidence is all that decides how a session ended.
type evidence struct {
	// record is the session's own, nil when there is no valid one.
	record *own
	// cause was durable before the process was gone, nil when nobody ended it on purpose.
	cause *ledger.Cause
	// stood says that the record was there when the cause was committed.
	stood bool
	// death says what became of the process, for a session that could not speak for itself.
	death string
}

// verdict is how a session ended.
type verdict struct {
	status     outcome.Status
	detail     string
	reportedBy outcome.Reporter
	killedBy   string
	unheard    string
	// tell says whether the delegating session is told.
	tell bool
}

// decide is the one place where an end gets its status. A record stands unless a cause was committed before it; else the cause
// decides; else the death does.
func decide(e evidence) verdict {
	switch {
	case e.record != nil && (e.cause == nil || e.stood):
		return verdict{status: e.record.status, detail: outcome.BoundDetail(e.record.detail), reportedBy: outcome.Child, unheard: outcome.BoundDetail(e.record.unheard), tell: true}
	case e.cause != nil:
		return verdict{status: e.cause.Status, detail: outcome.BoundDetail(e.cause.Detail), reportedBy: outcome.Launcher, killedBy: e.cause.By, tell: e.cause.Tell}
	default:
		return verdict{status: outcome.Crashed, detail: outcome.BoundDetail(e.death), reportedBy: outcome.Launcher, tell: true}
	}
}
