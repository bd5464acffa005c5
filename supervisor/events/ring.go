package events

import (
	"sync"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

// size is how many events are kept. A delegation makes about six, so this is the last 700 of them; an event takes less than 4 KiB, so the
// ring takes less than 16 MiB.
const size = 4096

// Ring is the latest events. It is safe for concurrent use.
type Ring struct {
	mu     sync.Mutex // guards what follows
	kept   []*operatorv1.Event
	latest uint64
	first  uint64        // the first seq of this supervisor
	more   chan struct{} // closed when there is more to read, and replaced
	closed bool
}

// New returns an empty ring whose first event will have a seq behind the start in milliseconds of the Unix epoch: higher than any of an
// earlier supervisor, which made fewer than a thousand events a second.
func New(start time.Time) *Ring {
	base := uint64(max(start.UnixMilli(), 0))
	return &Ring{kept: make([]*operatorv1.Event, 0, size), latest: base, first: base + 1, more: make(chan struct{})}
}

// Add gives the event its seq, and its time when it has none, and wakes the readers. The caller must not change it afterwards. After Close
// it is dropped.
func (r *Ring) Add(e *operatorv1.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.latest++
	e.Seq = r.latest
	if e.Time == nil {
		e.Time = timestamppb.Now()
	}
	if len(r.kept) < size {
		r.kept = append(r.kept, e)
	} else {
		r.kept[r.index(e.Seq)] = e
	}
	close(r.more)
	r.more = make(chan struct{})
}

// index is where the event with this seq is or was kept.
func (r *Ring) index(seq uint64) int { return int((seq - r.first) % size) }

// Close ends every reader once it has read what is kept.
func (r *Ring) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.closed {
		r.closed = true
		close(r.more)
	}
}

// Latest is the seq of the latest event, 0 when there was none.
func (r *Ring) Latest() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.latest < r.first {
		return 0
	}
	return r.latest
}

// Reader reads the ring from some seq on. It holds nothing in the ring: one that is never used again costs nothing. It is not safe for
// concurrent use.
type Reader struct {
	ring *Ring
	next uint64
	// missed counts what was skipped at the beginning.
	missed Missed
}

// Missed says what a reader could not be given.
type Missed struct {
	// Events is how many; 0 with Restarted: nobody knows.
	Events uint64
	// Restarted says that they were an earlier supervisor's.
	Restarted bool
}

// From returns a reader of the events behind after; 0: of all that are kept.
func (r *Ring) From(after uint64) *Reader {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case after == 0:
		return &Reader{ring: r, next: r.oldest()}
	case after < r.first-1:
		return &Reader{ring: r, next: r.first, missed: Missed{Restarted: true}}
	}
	// A seq that nobody was given yet is taken as the latest.
	return &Reader{ring: r, next: min(after, r.latest) + 1}
}

// oldest is the seq of the oldest event that is kept, or of the next one.
func (r *Ring) oldest() uint64 { return r.latest + 1 - uint64(len(r.kept)) }

// batch bounds what Read returns at once.
const batch = 256

// Read returns the next events, at most some hundred, and what was missed before them. more is closed when there may be further ones;
// open is false when nothing follows any more.
func (r *Reader) Read() (events []*operatorv1.Event, missed Missed, more <-chan struct{}, open bool) {
	ring := r.ring
	ring.mu.Lock()
	defer ring.mu.Unlock()
	missed, r.missed = r.missed, Missed{}
	if oldest := ring.oldest(); r.next < oldest {
		missed.Events += oldest - r.next
		r.next = oldest
	}
	for ; r.next <= ring.latest && len(events) < batch; r.next++ {
		events = append(events, ring.kept[ring.index(r.next)])
	}
	return events, missed, ring.more, !ring.closed || r.next <= ring.latest
}

// At is the seq of the last event that was read or passed over.
func (r *Reader) At() uint64 { return r.next - 1 }
