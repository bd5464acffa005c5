package ledger

import (
	"context"
	"fmt"
)

// Forget removes ended sessions, see [Ledger].
func (b *Book) Forget(ctx context.Context, sessionIDs []string) error {
	return b.change(ctx, func(e *edit) error {
		named := make(map[string]bool, len(sessionIDs))
		for _, id := range sessionIDs {
			if s, ok := e.sessions[id]; ok && !named[id] {
				named[id] = true
				e.gone = append(e.gone, s)
			}
		}
		for _, s := range e.gone {
			if _, ok := e.sessions[s.SpawnedBy]; ok && !named[s.SpawnedBy] {
				return fmt.Errorf("session %s cannot be forgotten before %s, which delegated to it: %w", s.ID, s.SpawnedBy, ErrConflict)
			}
			if s.State != Ended {
				return fmt.Errorf("session %s is %s, it cannot be forgotten: %w", s.ID, s.State, ErrConflict)
			}
			for _, child := range e.children[s.ID] {
				if !named[child] {
					return fmt.Errorf("session %s cannot be forgotten without %s, which it delegated to: %w", s.ID, child, ErrConflict)
				}
			}
		}
		return nil
	})
}

// Note says what followed a root's end, see [Ledger].
func (b *Book) Note(ctx context.Context, sessionID, text string) error {
	return b.change(ctx, func(e *edit) error {
		s, ok := e.Session(sessionID)
		switch {
		case !ok:
			return fmt.Errorf("session %s: %w", sessionID, ErrNotFound)
		case s.State != Ended || s.SpawnedBy != "":
			return fmt.Errorf("session %s is not the ended session of a root: %w", s.ID, ErrConflict)
		case s.Note == "":
			s.Note = text
			e.changeSession(s)
		}
		return nil
	})
}
