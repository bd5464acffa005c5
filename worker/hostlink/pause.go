package hostlink

import (
	"context"
	"time"
)

// A supervisor that is being replaced is back within seconds: try soon, then
// half-secondly, so that a machine with hundreds of orphaned workers stays calm.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = 500 * time.Millisecond
)

// pause is the growing time between two tries of one call. The zero value begins
// with the shortest.
type pause struct{ next time.Duration }

// wait waits and doubles the next wait. It returns the context's error.
func (p *pause) wait(ctx context.Context) error {
	p.next = min(max(p.next, firstPause), lastPause)
	timer := time.NewTimer(p.next)
	defer timer.Stop()
	p.next *= 2
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (p *pause) reset() { p.next = 0 }
