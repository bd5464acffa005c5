package ledger

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// maxPending bounds the rows that wait for one slow watcher; beyond it the
// watcher is told to read everything anew.
const maxPending = 1024

// watchers are those who want to know of changes. mu is taken behind Book.mu, or
// alone.
type watchers struct {
	mu  sync.Mutex
	all map[chan Change]struct{}
}

// Watch reports changes from now on, see [Ledger].
func (b *Book) Watch() (changes <-chan Change, stop func()) {
	w := &b.watchers
	ch := make(chan Change, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = make(map[chan Change]struct{})
	}
	w.all[ch] = struct{}{}
	return ch, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.all, ch)
	}
}

// tell hands the change to every watcher. What a watcher has not taken yet is
// taken back and grows: only tell sends, under the lock, so the place that it
// emptied is free and it never waits.
func (w *watchers) tell(e *edit) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for ch := range w.all {
		var pending Change
		select {
		case pending = <-ch:
		default:
		}
		pending.add(e)
		ch <- pending
	}
}

func (c *Change) add(e *edit) {
	for _, s := range e.newSessions {
		if !slices.Contains(c.Sessions, s.ID) {
			c.Sessions = append(c.Sessions, s.ID)
		}
	}
	for _, d := range e.newDelegations {
		if !slices.Contains(c.Delegations, d.ID) {
			c.Delegations = append(c.Delegations, d.ID)
		}
	}
	for _, s := range e.gone {
		c.Sessions = append(c.Sessions, s.ID)
		if s.DelegationID != "" {
			c.Delegations = append(c.Delegations, s.DelegationID)
		}
	}
	if c.Missed || len(c.Sessions)+len(c.Delegations) > maxPending {
		*c = Change{Missed: true}
	}
}

// WaitEnded returns a session's row when it has ended, see [Ledger].
func (b *Book) WaitEnded(ctx context.Context, sessionID string) (Session, error) {
	changes, stop := b.Watch()
	defer stop()
	for {
		s, ok := b.Session(sessionID)
		if !ok {
			return s, fmt.Errorf("session %s: %w", sessionID, ErrNotFound)
		}
		if s.State == Ended {
			return s, nil
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return s, ctx.Err()
		}
	}
}
