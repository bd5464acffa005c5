package ledger

import (
	"cmp"
	"maps"
	"slices"
)

// index is a set of rows and what is counted over them. Rows are shared and never
// changed: a change puts a new one in their place. It has no lock of its own.
type index struct {
	sessions    map[string]*Session
	delegations map[string]*Delegation
	// The ids in order, for lists and pages.
	sessionIDs    []string
	delegationIDs []string
	// By the delegating session.
	children     map[string][]string
	liveChildren map[string]int
	released     map[string][]*Delegation // in the order of Seq
	requests     map[request]string       // the delegation it made
	// By the root session.
	totalUnder map[string]int
	liveHost   int
	native     map[string]string
}

// request names one request of one session.
type request struct{ parent, id string }

func newIndex() *index {
	return &index{
		sessions:     map[string]*Session{},
		delegations:  map[string]*Delegation{},
		children:     map[string][]string{},
		liveChildren: map[string]int{},
		released:     map[string][]*Delegation{},
		requests:     map[request]string{},
		totalUnder:   map[string]int{},
		native:       map[string]string{},
	}
}

// clone shares the rows and nothing else.
func (x *index) clone() *index {
	c := newIndex()
	for _, s := range x.sessions {
		c.putSession(s)
	}
	for _, d := range x.delegations {
		c.putDelegation(d)
	}
	c.native = maps.Clone(x.native)
	return c
}

// putSession adds the row or puts it in the place of the one with its id.
func (x *index) putSession(s *Session) {
	old, known := x.sessions[s.ID]
	if !known {
		x.sessionIDs = insert(x.sessionIDs, s.ID)
		if s.SpawnedBy != "" {
			x.children[s.SpawnedBy] = insert(x.children[s.SpawnedBy], s.ID)
		}
	}
	if known {
		x.count(old, -1)
	}
	x.count(s, 1)
	x.sessions[s.ID] = s
}

func (x *index) count(s *Session, by int) {
	if !s.State.Live() {
		return
	}
	if s.Host == LocalHost {
		x.liveHost += by
	}
	if s.SpawnedBy == "" {
		return
	}
	if x.liveChildren[s.SpawnedBy] += by; x.liveChildren[s.SpawnedBy] == 0 {
		delete(x.liveChildren, s.SpawnedBy)
	}
}

// putDelegation adds the row or puts it in the place of the one with its id.
func (x *index) putDelegation(d *Delegation) {
	if _, known := x.delegations[d.ID]; !known {
		x.delegationIDs = insert(x.delegationIDs, d.ID)
		x.requests[request{d.ParentSessionID, d.RequestID}] = d.ID
		x.totalUnder[d.RootSessionID]++
	}
	x.delegations[d.ID] = d
	if d.Seq == 0 {
		return
	}
	queue := x.released[d.ParentSessionID]
	at, known := slices.BinarySearchFunc(queue, d.Seq, bySeq)
	if known {
		// Readers copy rows under the lock, so the place may be written.
		queue[at] = d
		return
	}
	x.released[d.ParentSessionID] = slices.Insert(queue, at, d)
}

// drop takes an ended session and its delegation out, and what it was told and
// asked for. Its children are dropped with it.
func (x *index) drop(s *Session) {
	delete(x.sessions, s.ID)
	x.sessionIDs = without(x.sessionIDs, s.ID)
	delete(x.children, s.ID)
	delete(x.released, s.ID)
	if kept := without(x.children[s.SpawnedBy], s.ID); len(kept) > 0 {
		x.children[s.SpawnedBy] = kept
	} else {
		delete(x.children, s.SpawnedBy)
	}
	d, ok := x.delegations[s.DelegationID]
	if !ok {
		return
	}
	delete(x.delegations, d.ID)
	x.delegationIDs = without(x.delegationIDs, d.ID)
	delete(x.requests, request{d.ParentSessionID, d.RequestID})
	if x.totalUnder[d.RootSessionID]--; x.totalUnder[d.RootSessionID] == 0 {
		delete(x.totalUnder, d.RootSessionID)
	}
}

// lastSeq is the Seq of the session's latest release, or 0.
func (x *index) lastSeq(parent string) uint64 {
	queue := x.released[parent]
	if len(queue) == 0 {
		return 0
	}
	return queue[len(queue)-1].Seq
}

// Session, and what follows, is the View of the rows.
func (x *index) Session(id string) (Session, bool) {
	s, ok := x.sessions[id]
	if !ok {
		return Session{}, false
	}
	return *s, true
}

func (x *index) Delegation(id string) (Delegation, bool) {
	d, ok := x.delegations[id]
	if !ok {
		return Delegation{}, false
	}
	return *d, true
}

func (x *index) Children(session string) []Session {
	ids := x.children[session]
	children := make([]Session, 0, len(ids))
	for _, id := range ids {
		children = append(children, *x.sessions[id])
	}
	return children
}

func (x *index) LiveChildren(session string) int { return x.liveChildren[session] }

func (x *index) LiveHost() int { return x.liveHost }

func (x *index) TotalUnder(root string) int { return x.totalUnder[root] }

// bySeq orders releases.
func bySeq(d *Delegation, seq uint64) int { return cmp.Compare(d.Seq, seq) }

// insert keeps ids sorted. New ids are nearly always the last.
func insert(ids []string, id string) []string {
	at, known := slices.BinarySearch(ids, id)
	if known {
		return ids
	}
	return slices.Insert(ids, at, id)
}

// without is insert undone.
func without(ids []string, id string) []string {
	at, known := slices.BinarySearch(ids, id)
	if !known {
		return ids
	}
	return slices.Delete(ids, at, at+1)
}
