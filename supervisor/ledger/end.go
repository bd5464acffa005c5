package ledger

import (
	"context"
	"fmt"
	"slices"
)

// MarkEnding marks a session and what lives beneath it, see [Ledger].
func (b *Book) MarkEnding(ctx context.Context, sessionID string, cause func(depth int, s Session) Cause) ([]Session, error) {
	var marked []Session
	err := b.change(ctx, func(e *edit) error {
		top, ok := e.Session(sessionID)
		if !ok {
			return fmt.Errorf("session %s: %w", sessionID, ErrNotFound)
		}
		// One level after the other. An ended session is passed through: what it had
		// delegated may live for a moment longer.
		for level, depth := []Session{top}, 0; len(level) > 0; depth++ {
			var below []Session
			for _, s := range level {
				below = append(below, e.Children(s.ID)...)
				if s.State.Live() {
					marked = append(marked, e.end(s, depth, cause))
				}
			}
			level = below
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Reverse(marked)
	return marked, nil
}

// end makes a live session Ending; one that is already keeps its cause.
func (e *edit) end(s Session, depth int, cause func(int, Session) Cause) Session {
	if s.State == Ending {
		return s
	}
	why := cause(depth, s)
	why.At = stamp(why.At)
	s.State, s.Cause = Ending, &why
	e.changeSession(s)
	if d, ok := e.Delegation(s.DelegationID); ok {
		d.State, d.Cause = Ending, &why
		e.changeDelegation(d)
	}
	return *e.newSessions[len(e.newSessions)-1]
}

// Finish decides a session's outcome, see [Ledger].
func (b *Book) Finish(ctx context.Context, sessionID string, decide func(Session, *Delegation) (FinishedSession, *FinishedDelegation)) error {
	return b.change(ctx, func(e *edit) error {
		s, ok := e.Session(sessionID)
		switch {
		case !ok:
			return fmt.Errorf("session %s: %w", sessionID, ErrNotFound)
		case s.State == Ended:
			return fmt.Errorf("session %s %w", s.ID, ErrTerminal)
		}
		d, delegated := e.Delegation(s.DelegationID)
		var handed *Delegation
		if delegated {
			handed = new(d) // decide gets a copy of its own
		}
		end, delegationEnd := decide(s, handed)
		if delegated != (delegationEnd != nil) || end.Status == "" {
			return fmt.Errorf("session %s: its end is incomplete: %w", s.ID, ErrConflict)
		}
		s.State, s.Status, s.Detail = Ended, end.Status, end.Detail
		s.EndedAt, s.DurationMS = stamp(end.EndedAt), end.DurationMS
		s.MaxRSS, s.CPUMS, s.TasksDone = end.MaxRSS, end.CPUMS, end.TasksDone
		e.changeSession(s)
		if delegated {
			e.finish(d, s, *delegationEnd)
		}
		return nil
	})
}

// finish gives the delegation of s its outcome, and its place in the parent's
// queue if the parent is to be told.
func (e *edit) finish(d Delegation, s Session, end FinishedDelegation) {
	d.State, d.Status, d.Detail = Ended, end.Status, end.Detail
	d.EndedAt, d.DurationMS = s.EndedAt, end.DurationMS
	d.ReportedBy, d.KilledBy = end.ReportedBy, end.KilledBy
	d.ResultPath, d.Answer, d.Message = end.ResultPath, end.Answer, end.Message
	d.DeliveryError = end.DeliveryError
	if end.Tell {
		d.Told, d.Seq = true, e.lastSeq(d.ParentSessionID)+1
	}
	e.changeDelegation(d)
}
