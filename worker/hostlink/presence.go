package hostlink

import (
	"context"
	"sync"
	"time"
)

// presence knows whether a supervisor is attached, and since when not.
type presence struct {
	mu       sync.Mutex // guards what follows
	attached bool
	since    time.Time     // of the last change
	changed  chan struct{} // closed at the next change
}

func newPresence() *presence {
	return &presence{since: time.Now(), changed: make(chan struct{})}
}

func (p *presence) set(attached bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.attached == attached {
		return
	}
	p.attached, p.since = attached, time.Now()
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *presence) now() (attached bool, since time.Time, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.attached, p.since, p.changed
}

func (p *presence) awaitMissing(ctx context.Context, limit time.Duration) error {
	for {
		attached, since, changed := p.now()
		// A timer that nobody hears, as long as a supervisor is attached.
		timer := time.NewTimer(time.Until(since.Add(limit)))
		missing := timer.C
		if attached {
			missing = nil
		}
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-missing:
			return nil
		case <-changed:
			timer.Stop()
		}
	}
}
