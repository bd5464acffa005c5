package ledger

import (
	"context"
	"fmt"
)

// Started records the process of a session, see [Ledger].
func (b *Book) Started(ctx context.Context, sessionID string, identity Identity, runHex, url string) error {
	return b.change(ctx, func(e *edit) error {
		s, err := e.starting(sessionID)
		if err != nil {
			return err
		}
		if s.Identity != (Identity{}) {
			return fmt.Errorf("session %s has pid %d already: %w", s.ID, s.Identity.PID, ErrConflict)
		}
		if identity.PID <= 0 || identity.BootID == "" {
			return fmt.Errorf("session %s: %+v names no process: %w", s.ID, identity, ErrConflict)
		}
		s.Identity, s.RunHex, s.URL = identity, runHex, url
		e.changeSession(s)
		return nil
	})
}

// Ready makes a session Running, see [Ledger].
func (b *Book) Ready(ctx context.Context, sessionID, containment string) error {
	return b.change(ctx, func(e *edit) error {
		s, err := e.starting(sessionID)
		if err != nil {
			return err
		}
		if s.Identity == (Identity{}) {
			return fmt.Errorf("session %s has no process: %w", s.ID, ErrConflict)
		}
		s.State, s.Containment, s.ReadyAt = Running, containment, stamp(s.ReadyAt)
		e.changeSession(s)
		if d, ok := e.Delegation(s.DelegationID); ok {
			d.State = Running
			e.changeDelegation(d)
		}
		return nil
	})
}

// starting returns the session if nothing has been decided about it yet.
func (e *edit) starting(sessionID string) (Session, error) {
	s, ok := e.Session(sessionID)
	switch {
	case !ok:
		return s, fmt.Errorf("session %s: %w", sessionID, ErrNotFound)
	case s.State == Ending:
		return s, fmt.Errorf("session %s %w", s.ID, ErrEnding)
	case s.State == Ended:
		return s, fmt.Errorf("session %s %w", s.ID, ErrTerminal)
	case s.State != Starting:
		return s, fmt.Errorf("session %s is %s: %w", s.ID, s.State, ErrConflict)
	}
	return s, nil
}
