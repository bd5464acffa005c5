package ledger

import (
	"slices"

	"rookery/capsule/outcome"
)

// Sessions returns the sessions that match, in id order.
func (b *Book) Sessions(f Filter) []Session {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var found []Session
	for _, id := range f.behind(b.committed.sessionIDs) {
		s := b.committed.sessions[id]
		if !f.matches(s.State, s.Status, s.Capsule, s.SpawnedBy, s.RootSessionID) {
			continue
		}
		if found = append(found, *s); len(found) == f.Limit {
			break
		}
	}
	return found
}

// Delegations returns the delegations that match, in id order.
func (b *Book) Delegations(f Filter) []Delegation {
	b.mu.RLock()
	defer b.mu.RUnlock()
	var found []Delegation
	for _, id := range f.behind(b.committed.delegationIDs) {
		d := b.committed.delegations[id]
		if !f.matches(d.State, d.Status, d.Capsule, d.ParentSessionID, d.RootSessionID) {
			continue
		}
		if found = append(found, *d); len(found) == f.Limit {
			break
		}
	}
	return found
}

// behind is the rest of the sorted ids that sorts behind f.After.
func (f Filter) behind(ids []string) []string {
	at, known := slices.BinarySearch(ids, f.After)
	if known {
		at++
	}
	return ids[at:]
}

func (f Filter) matches(state State, status outcome.Status, capsule, parent, root string) bool {
	return (len(f.States) == 0 || slices.Contains(f.States, state)) &&
		(f.Status == "" || f.Status == status) &&
		(f.Capsule == "" || f.Capsule == capsule) &&
		(f.ParentSessionID == "" || f.ParentSessionID == parent) &&
		(f.RootSessionID == "" || f.RootSessionID == root)
}
