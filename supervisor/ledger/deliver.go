package ledger

import (
	"context"
	"time"
)

// Delivered marks outcomes as acknowledged, see [Ledger].
func (b *Book) Delivered(ctx context.Context, parentSession string, ids []string, at time.Time) error {
	return b.change(ctx, func(e *edit) error {
		seen := make(map[string]bool, len(ids))
		for _, id := range ids {
			d, ok := e.Delegation(id)
			if !ok || seen[id] || d.ParentSessionID != parentSession || d.Seq == 0 || d.Delivered {
				continue
			}
			seen[id] = true
			d.Delivered, d.DeliveredAt, d.DeliveryError = true, stamp(at), ""
			// The parent's worker has the text now, and the records keep it: rows stay in memory for days.
			d.Answer.Text, d.Message = "", ""
			e.changeDelegation(d)
		}
		return nil
	})
}
