package ledger

import (
	"context"
	"fmt"

	"rookery/capsule/id"
)

// Begin commits an intent, see [Ledger].
func (b *Book) Begin(ctx context.Context, intent Intent, admit func(View) error) (existing *Delegation, err error) {
	s := intent.Session
	s.State, s.Rev, s.StartedAt = Starting, 0, stamp(s.StartedAt)
	if s.Host == "" {
		s.Host = LocalHost
	}
	if s.RootSessionID == "" && intent.Delegation == nil {
		s.RootSessionID = s.ID
	}
	if err := fits(s, intent.Delegation); err != nil {
		return nil, err
	}
	err = b.change(ctx, func(e *edit) error {
		if intent.Delegation != nil {
			first, err := e.repeated(intent.Delegation)
			if first != nil {
				existing = first
				return err
			}
		}
		if admit != nil {
			if err := admit(e.index); err != nil {
				return err
			}
		}
		if _, taken := e.sessions[s.ID]; taken {
			return fmt.Errorf("session %s is there already: %w", s.ID, ErrConflict)
		}
		e.changeSession(s)
		if intent.Delegation == nil {
			return nil
		}
		d := *intent.Delegation
		d.State, d.Rev, d.StartedAt = Starting, 0, s.StartedAt
		if _, taken := e.delegations[d.ID]; taken {
			return fmt.Errorf("delegation %s is there already: %w", d.ID, ErrConflict)
		}
		if err := e.parentFits(d); err != nil {
			return err
		}
		e.changeDelegation(d)
		return nil
	})
	return existing, err
}

// repeated returns the delegation that the request has made before, with
// ErrRequestReused when it asked for something else.
func (e *edit) repeated(d *Delegation) (*Delegation, error) {
	first, ok := e.Delegation(e.requests[request{d.ParentSessionID, d.RequestID}])
	if !ok {
		return nil, nil
	}
	if first.RequestDigest != d.RequestDigest {
		return &first, fmt.Errorf("request %s: %w", d.RequestID, ErrRequestReused)
	}
	return &first, nil
}

// parentFits keeps a child from beginning beneath a session that is on its way
// out: whoever marks a subtree has then marked all of it.
func (e *edit) parentFits(d Delegation) error {
	parent, ok := e.Session(d.ParentSessionID)
	switch {
	case !ok:
		return fmt.Errorf("session %s: %w", d.ParentSessionID, ErrNotFound)
	case parent.State == Ending:
		return fmt.Errorf("session %s %w", parent.ID, ErrEnding)
	case parent.State == Ended:
		return fmt.Errorf("session %s %w", parent.ID, ErrTerminal)
	case parent.Depth+1 != d.Depth || parent.RootSessionID != d.RootSessionID:
		return fmt.Errorf("delegation %s: depth %d beneath %s, its parent has depth %d beneath %s: %w",
			d.ID, d.Depth, d.RootSessionID, parent.Depth, parent.RootSessionID, ErrConflict)
	}
	return nil
}

// fits checks the two rows against each other.
func fits(s Session, d *Delegation) error {
	if !id.Session.Valid(s.ID) {
		return fmt.Errorf("session id %.80q: %w", s.ID, ErrConflict)
	}
	if d == nil {
		if s.SpawnedBy != "" || s.DelegationID != "" || s.Depth != 0 || s.RootSessionID != s.ID {
			return fmt.Errorf("session %s is neither a root nor delegated: %w", s.ID, ErrConflict)
		}
		return nil
	}
	if !id.Delegation.Valid(d.ID) || d.RequestID == "" {
		return fmt.Errorf("delegation id %.80q, request id %.80q: %w", d.ID, d.RequestID, ErrConflict)
	}
	for _, pair := range []struct{ what, session, delegation string }{
		{"session", s.ID, d.SessionID},
		{"delegation", s.DelegationID, d.ID},
		{"parent", s.SpawnedBy, d.ParentSessionID},
		{"root", s.RootSessionID, d.RootSessionID},
		{"capsule", s.Capsule, d.Capsule},
		{"version", s.Version, d.Version},
	} {
		if pair.session != pair.delegation {
			return fmt.Errorf("%s is %.80q in the session and %.80q in the delegation: %w",
				pair.what, pair.session, pair.delegation, ErrConflict)
		}
	}
	if s.Depth != d.Depth {
		return fmt.Errorf("depth is %d in the session and %d in the delegation: %w", s.Depth, d.Depth, ErrConflict)
	}
	return nil
}
