package delegation

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rates is one token bucket per root: how fast its whole tree delegates.
type rates struct {
	limit rate.Limit
	burst int

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newRates(l Limits) *rates {
	return &rates{limit: rate.Limit(l.RatePerMinute / 60), burst: l.Burst, buckets: map[string]*rate.Limiter{}}
}

// take takes a token for one delegation beneath root, or says how long until there is one. undo gives the token back when a later
// check refuses.
func (r *rates) take(root string, now time.Time) (undo func(), wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	b := r.buckets[root]
	if b == nil {
		b = rate.NewLimiter(r.limit, r.burst)
		r.buckets[root] = b
	}
	reserved := b.ReserveN(now, 1)
	if !reserved.OK() {
		return nil, time.Minute
	}
	if wait := reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
		return nil, wait
	}
	return func() { reserved.CancelAt(now) }, 0
}

// forget drops the bucket of a root that has ended.
func (r *rates) forget(root string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.buckets, root)
}
