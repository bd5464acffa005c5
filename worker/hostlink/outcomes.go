package hostlink

import (
	"slices"
	"sync"

	hostv1 "rookery/proto/rookery/host/v1"
)

// Outcomes keeps every outcome released to this session, once. It is safe for
// concurrent use. What it hands out must not be changed.
type Outcomes struct {
	mu      sync.Mutex // guards what follows
	byID    map[string]*hostv1.ReleasedOutcome
	inOrder []*hostv1.ReleasedOutcome // by seq
	changed chan struct{}             // closed when one is added
}

func newOutcomes() *Outcomes {
	return &Outcomes{byID: map[string]*hostv1.ReleasedOutcome{}, changed: make(chan struct{})}
}

// Get returns a delegation's outcome, if it is out.
func (o *Outcomes) Get(delegationID string) (*hostv1.ReleasedOutcome, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	released, ok := o.byID[delegationID]
	return released, ok
}

// After returns the outcomes released after seq, in the order of their release.
func (o *Outcomes) After(seq uint64) []*hostv1.ReleasedOutcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	from, _ := slices.BinarySearchFunc(o.inOrder, seq+1, bySeq)
	return slices.Clone(o.inOrder[from:])
}

// Changed is closed when the next outcome is added. To miss none, get it before
// looking.
func (o *Outcomes) Changed() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.changed
}

// add keeps an outcome and wakes the waiters, unless the delegation has one already.
func (o *Outcomes) add(released *hostv1.ReleasedOutcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := released.GetOutcome().GetDelegationId()
	if _, known := o.byID[key]; known {
		return
	}
	o.byID[key] = released
	at, _ := slices.BinarySearchFunc(o.inOrder, released.GetSeq(), bySeq)
	o.inOrder = slices.Insert(o.inOrder, at, released)
	close(o.changed)
	o.changed = make(chan struct{})
}

func bySeq(released *hostv1.ReleasedOutcome, seq uint64) int {
	switch {
	case released.GetSeq() < seq:
		return -1
	case released.GetSeq() > seq:
		return 1
	default:
		return 0
	}
}
