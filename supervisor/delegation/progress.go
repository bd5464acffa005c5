package delegation

import (
	"slices"
	"strings"
	"sync"
	"time"

	"rookery/supervisor/ledger"
)

// MaxProgressBytes bounds one word of progress: a line for people, not a place for data.
const MaxProgressBytes = 4 << 10

// Progress is the newest word of a child that runs.
type Progress struct {
	DelegationID, Capsule, Version string
	// State is working or input-required.
	State   string
	Message string
	At      time.Time
}

// Progress tells the session that delegated the asking one how far it is, if that session listens. Nothing is kept.
func (t *Tree) Progress(session, state, message string) error {
	switch {
	case state != "working" && state != "input-required":
		return refuse(CodeBadRequest, "state %.40q is neither working nor input-required", state)
	case len(message) > MaxProgressBytes:
		return overLimit("too_large", MaxProgressBytes, len(message), "progress has %d bytes; at most %d are told", len(message), MaxProgressBytes)
	}
	s, ok := t.ledger.Session(session)
	if !ok || s.DelegationID == "" {
		return refuse(CodeNotFound, "nobody has delegated this session")
	}
	t.feeds.tell(s.SpawnedBy, Progress{
		DelegationID: s.DelegationID, Capsule: s.Capsule, Version: s.Version, State: state, Message: message, At: time.Now(),
	})
	return nil
}

// Listen returns a feed of what the session's children say from now on. stop must be called.
func (t *Tree) Listen(session string) (f *Feed, stop func()) {
	f = &Feed{feeds: t.feeds, pending: map[string]Progress{}, ready: make(chan struct{}, 1)}
	return f, t.feeds.open(session, f)
}

// Feed holds what one listener has not taken yet: of each child the newest word, so it is no larger than the children are many.
type Feed struct {
	feeds   *feeds
	pending map[string]Progress // guarded by feeds.mu
	ready   chan struct{}
}

// Ready receives when there is something to take.
func (f *Feed) Ready() <-chan struct{} { return f.ready }

// Take hands out what is pending, oldest first. Of a child whose outcome the listener has, everything up to the release of that number,
// there is nothing: what a child said is told before how it ended or not at all.
func (f *Feed) Take(row func(delegationID string) (ledger.Delegation, bool), released uint64) []Progress {
	f.feeds.mu.Lock()
	taken := make([]Progress, 0, len(f.pending))
	for _, p := range f.pending {
		taken = append(taken, p)
	}
	clear(f.pending)
	f.feeds.mu.Unlock()
	taken = slices.DeleteFunc(taken, func(p Progress) bool {
		d, ok := row(p.DelegationID)
		return !ok || d.State == ledger.Ended && d.Seq <= released
	})
	slices.SortFunc(taken, func(a, b Progress) int {
		if a.At.Equal(b.At) {
			return strings.Compare(a.DelegationID, b.DelegationID)
		}
		return a.At.Compare(b.At)
	})
	return taken
}

// feeds are the listeners, by session.
type feeds struct {
	mu sync.Mutex // guards what follows, and each feed's pending
	of map[string][]*Feed
}

func newFeeds() *feeds { return &feeds{of: map[string][]*Feed{}} }

func (fs *feeds) open(session string, f *Feed) (stop func()) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.of[session] = append(fs.of[session], f)
	return func() {
		fs.mu.Lock()
		defer fs.mu.Unlock()
		left := slices.DeleteFunc(fs.of[session], func(other *Feed) bool { return other == f })
		if fs.of[session] = left; len(left) == 0 {
			delete(fs.of, session)
		}
	}
}

func (fs *feeds) tell(session string, p Progress) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.of[session] {
		f.pending[p.DelegationID] = p
		select {
		case f.ready <- struct{}{}:
		default: // it is known already that there is something
		}
	}
}
