package roots

import (
	"rookery/capsule/outcome"
	"rookery/supervisor/fleet"
	"rookery/supervisor/ledger"
	"time"
)

// Past is what a supervisor that was not stopped cleanly has left of each root: its latest session, if that one has ended, by the root's
// id. Only sessions begun at or after since count: those of earlier lives are over. Call it when what was left is concluded.
func Past(l ledger.Ledger, since time.Time) map[string]ledger.Session {
	latest := map[string]ledger.Session{}
	for _, s := range l.Sessions(ledger.Filter{}) {
		if s.RootID != "" && !s.StartedAt.Before(since) { // in the order they began
			latest[s.RootID] = s
		}
	}
	for id, s := range latest {
		if s.State != ledger.Ended {
			delete(latest, id)
		}
	}
	return latest
}

// over reports whether a root with this latest session stays ended under its policy, though its supervisor was started anew.
func over(s ledger.Session, policy fleet.Restart) bool {
	switch {
	case interrupted(s):
		return false
	case meant(s), s.Note != "", policy.When == fleet.Never:
		return true
	default:
		return policy.When == fleet.OnFailure && s.Status == outcome.OK
	}
}

// interrupted is an end that came with the supervisor's own, by its stop or its death: the root itself was not done.
func interrupted(s ledger.Session) bool {
	return s.Cause != nil && (s.Cause.Kind == ledger.CauseDrain || s.Cause.Kind == ledger.CauseSweep) &&
		s.Status != outcome.OK && s.Status != outcome.Error
}

// meant is an end that somebody asked for, whether or not the capsule was quicker.
func meant(s ledger.Session) bool {
	return s.Cause != nil && (s.Cause.Kind == ledger.CauseOperator || s.Cause.Kind == ledger.CauseDrain)
}
