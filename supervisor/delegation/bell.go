package delegation

import (
	"context"
	"slices"
	"time"

	"rookery/supervisor/ledger"
)

// Recorded answers a door that was rung: is this a delegation of the session, with the child's record on disk or its outcome out? It
// changes nothing; the release still waits for the exit.
func (t *Tree) Recorded(session, delegationID string) bool {
	d, ok := t.ledger.Delegation(delegationID)
	if !ok || d.ParentSessionID != session {
		return false
	}
	if d.State == ledger.Ended {
		return true
	}
	if r := t.run(d.SessionID); r != nil && t.ownRecord(r.session) != nil {
		return true
	}
	d, _ = t.ledger.Delegation(delegationID) // it may have been settled meanwhile
	return d.State == ledger.Ended
}

// Delivered marks outcomes as acknowledged by the worker of the session they were released to, in the ledger and then in the records.
func (t *Tree) Delivered(ctx context.Context, session string, delegationIDs []string) error {
	// What is not new costs neither a commit nor a look at the disk, however often a worker says it.
	var fresh []string
	for _, id := range delegationIDs {
		d, ok := t.ledger.Delegation(id)
		if ok && d.ParentSessionID == session && d.Told && !d.Delivered && !slices.Contains(fresh, id) {
			fresh = append(fresh, id)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := t.ledger.Delivered(ctx, session, fresh, time.Now()); err != nil {
		return err
	}
	for _, id := range fresh {
		if d, ok := t.ledger.Delegation(id); ok && d.Delivered {
			t.noteDelivered(d)
		}
	}
	return nil
}
