package events

import (
	"sync"
	"time"

	"golang.org/x/time/rate"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

// Refusals makes events of refused delegations, few enough that a capsule which asks without end does not push everything else out of the
// ring. It is safe for concurrent use.
type Refusals struct {
	ring *Ring
	mu   sync.Mutex // guards of
	of   map[asked]*tally
}

type asked struct{ session, code string }

type tally struct {
	share   *rate.Limiter
	dropped uint64
}

// One event a second for each session and code, and some at once before that.
const (
	refusalEvery = time.Second
	refusalBurst = 5
	// maxCapsule and maxVersion bound what the capsule itself wrote.
	maxCapsule, maxVersion, maxDetail = 100, 100, 500
)

// NewRefusals returns refusals that go into the ring.
func NewRefusals(ring *Ring) *Refusals { return &Refusals{ring: ring, of: map[asked]*tally{}} }

// Add makes an event of a refusal, or counts it for the next one.
func (r *Refusals) Add(session, root, capsule, version, code, detail string) {
	dropped, told := r.count(asked{session, code}, time.Now())
	if !told {
		return
	}
	r.ring.Add(&operatorv1.Event{
		Kind: operatorv1.EventKind_EVENT_KIND_REFUSAL, SessionId: session, RootSessionId: root, Capsule: cut(capsule, maxCapsule),
		Version: cut(version, maxVersion), Code: code, Detail: cut(detail, maxDetail), Dropped: dropped,
	})
}

func (r *Refusals) count(key asked, now time.Time) (dropped uint64, told bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.of[key]
	if t == nil {
		r.sweep(now)
		t = &tally{share: rate.NewLimiter(rate.Every(refusalEvery), refusalBurst)}
		r.of[key] = t
	}
	if !t.share.AllowN(now, 1) {
		t.dropped++
		return 0, false
	}
	dropped, t.dropped = t.dropped, 0
	return dropped, true
}

// sweep forgets who has not been refused for some seconds. It runs when somebody new is, so there are never more than the sessions of
// these seconds. The lock is held.
func (r *Refusals) sweep(now time.Time) {
	for key, t := range r.of {
		if t.share.TokensAt(now) >= refusalBurst {
			delete(r.of, key)
		}
	}
}
