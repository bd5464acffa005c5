package tasks

import (
	"strings"
	"time"

	"rookery/worker/trace"
)

// How many refusals of one task have a line of their own in the trace: so many at once,
// then one a second, and no more than so many in all. A guest can be refused a million
// times a second, and its trace is kept.
const (
	refusedBurst = 20
	refusedPer   = time.Second
	refusedMost  = 1000
)

// maxRefusedPath bounds a guest's path in the trace, in bytes.
const maxRefusedPath = 512

// refusals traces refused accesses. It belongs to the goroutine that runs the guest.
type refusals struct {
	emit func(trace.AccessRefused)
	now  func() time.Time

	told    int
	tokens  int
	filled  time.Time
	dropped int64
	last    trace.AccessRefused // the last one dropped
}

// tell traces a refusal, or counts it for the next line.
func (r *refusals) tell(op, path, code string) {
	e := trace.AccessRefused{Op: op, Path: strings.ToValidUTF8(path[:min(len(path), maxRefusedPath)], "\uFFFD"), Errno: code}
	if !r.may() {
		r.dropped++
		r.last = e
		return
	}
	e.Dropped, r.dropped = r.dropped, 0
	r.emit(e)
}

func (r *refusals) may() bool {
	now := r.now()
	if r.filled.IsZero() {
		r.tokens, r.filled = refusedBurst, now
	}
	if more := int(now.Sub(r.filled) / refusedPer); more > 0 {
		r.tokens = min(refusedBurst, r.tokens+more)
		r.filled = r.filled.Add(time.Duration(more) * refusedPer)
	}
	if r.tokens == 0 || r.told == refusedMost {
		return false
	}
	r.tokens--
	r.told++
	return true
}

// flush says what no later line can: the last of those that were dropped, and how many
// there were before it.
func (r *refusals) flush() {
	if r.dropped > 0 {
		r.last.Dropped, r.dropped = r.dropped-1, 0
		r.emit(r.last)
	}
}
