package ledger

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"rookery/supervisor/store"
)

// Book is the Ledger in a local store.
type Book struct {
	store *store.Store

	mu        sync.RWMutex
	committed *index

	// What the store's writer works on: the committed rows and those of the group
	// of commits under way. Only functions inside the writer touch these two.
	working *index
	ahead   bool

	watchers watchers
}

var _ Ledger = (*Book)(nil)

// Open reads every row of the store. It fails for rows that a newer supervisor
// wrote, and for rows that are no rows. The Book has nothing to close; the store
// outlives it.
func Open(ctx context.Context, s *store.Store) (*Book, error) {
	committed, err := load(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	return &Book{store: s, committed: committed, working: committed.clone()}, nil
}

// edit collects the new rows of one change, or those that go.
type edit struct {
	*index         // as the writer sees it
	newSessions    []*Session
	newDelegations []*Delegation
	gone           []*Session // each with its delegation
}

func (e *edit) changeSession(s Session) {
	s.Rev++
	e.newSessions = append(e.newSessions, &s)
}

func (e *edit) changeDelegation(d Delegation) {
	d.Rev++
	e.newDelegations = append(e.newDelegations, &d)
}

// change runs fn in the writer and commits the rows it collects, all or none.
func (b *Book) change(ctx context.Context, fn func(*edit) error) error {
	return b.store.Update(ctx, func(tx *store.Tx) error {
		e := &edit{index: b.working}
		if err := fn(e); err != nil {
			return err
		}
		if err := e.write(tx); err != nil {
			return err
		}
		// Nothing fails from here on: later functions of the group build on the rows.
		e.applyTo(b.working)
		b.ahead = true
		tx.After(func(err error) { b.publish(e, err) })
		return nil
	})
}

// write puts the rows into the transaction.
func (e *edit) write(tx *store.Tx) error {
	for _, s := range e.newSessions {
		if err := put(tx, sessionsBucket, s.ID, s); err != nil {
			return err
		}
	}
	for _, d := range e.newDelegations {
		if err := put(tx, delegationsBucket, d.ID, d); err != nil {
			return err
		}
	}
	for _, s := range e.gone {
		tx.Delete(sessionsBucket, s.ID)
		if s.DelegationID != "" {
			tx.Delete(delegationsBucket, s.DelegationID)
		}
	}
	return nil
}

func (e *edit) applyTo(x *index) {
	for _, s := range e.newSessions {
		x.putSession(s)
	}
	for _, d := range e.newDelegations {
		x.putDelegation(d)
	}
	for _, s := range e.gone {
		x.drop(s)
	}
}

// publish runs in the writer once the group's fate is known.
func (b *Book) publish(e *edit, err error) {
	if err != nil {
		b.fallBack()
		return
	}
	b.ahead = false
	if len(e.newSessions)+len(e.newDelegations)+len(e.gone) == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.applyTo(b.committed)
	b.watchers.tell(e)
}

// fallBack forgets what a group had decided that could not be committed.
func (b *Book) fallBack() {
	if b.ahead {
		b.working, b.ahead = b.committed.clone(), false // only the writer changes committed
	}
}

// Session and the reads below answer from the committed rows.
func (b *Book) Session(id string) (Session, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.committed.Session(id)
}

// Delegation returns the row of a delegation.
func (b *Book) Delegation(id string) (Delegation, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.committed.Delegation(id)
}

// Children returns the sessions that a session has delegated to, in id order.
func (b *Book) Children(session string) []Session {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.committed.Children(session)
}

// LiveChildren counts those of them that have not ended.
func (b *Book) LiveChildren(session string) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.committed.LiveChildren(session)
}

// LiveHost counts this host's sessions that have not ended.
func (b *Book) LiveHost() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.committed.LiveHost()
}

// TotalUnder counts every delegation ever begun beneath a root session.
func (b *Book) TotalUnder(root string) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.committed.TotalUnder(root)
}

// Released returns a session's releases behind afterSeq, in their order.
func (b *Book) Released(parentSession string, afterSeq uint64) []Delegation {
	b.mu.RLock()
	defer b.mu.RUnlock()
	queue := b.committed.released[parentSession]
	at, known := slices.BinarySearchFunc(queue, afterSeq, bySeq)
	if known {
		at++
	}
	released := make([]Delegation, 0, len(queue)-at)
	for _, d := range queue[at:] {
		released = append(released, *d)
	}
	return released
}

// stamp makes a time as a row keeps it: zero means now; no monotonic reading, so
// that a row reads the same from memory and from disk.
func stamp(at time.Time) time.Time {
	if at.IsZero() {
		at = time.Now()
	}
	return at.UTC().Round(0)
}
