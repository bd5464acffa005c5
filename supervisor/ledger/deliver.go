package ledger

import (
	"context"
	"time"
)

// Delivered marks outcomes as acknowledged, see [Ledger].
func (b *Book) Delivered(ctx context.Context, parentSession string, ids []string, at time.Time) error {
	return b.undelivered(ctx, parentSession, ids, func(d *Delegation) {
		d.Delivered, d.DeliveredAt, d.DeliveryError = true, stamp(at), ""
	})
}

// DeliveryFailed notes why outcomes were not delivered, see [Ledger].
func (b *Book) DeliveryFailed(ctx context.Context, parentSession string, ids []string, why string) error {
	return b.undelivered(ctx, parentSession, ids, func(d *Delegation) { d.DeliveryError = why })
}

// undelivered changes those of the ids that were released to the session and not
// delivered.
func (b *Book) undelivered(ctx context.Context, parentSession string, ids []string, change func(*Delegation)) error {
	return b.change(ctx, func(e *edit) error {
		seen := make(map[string]bool, len(ids))
		for _, id := range ids {
			d, ok := e.Delegation(id)
			if !ok || seen[id] || d.ParentSessionID != parentSession || d.Seq == 0 || d.Delivered {
				continue
			}
			seen[id] = true
			change(&d)
			e.changeDelegation(d)
		}
		return nil
	})
}
