package tasks

import (
	"strings"

	"rookery/worker/trace"
)

// maxRefusedPath bounds a guest's path in the trace, in bytes.
const maxRefusedPath = 512

// refusals traces refused accesses. It belongs to the goroutine that runs the guest.
type refusals struct {
	emit   func(trace.AccessRefused)
	budget trace.Budget
	last   trace.AccessRefused // the last one dropped
}

// tell traces a refusal, or counts it for the next line.
func (r *refusals) tell(op, path, code string) {
	e := trace.AccessRefused{Op: op, Path: strings.ToValidUTF8(path[:min(len(path), maxRefusedPath)], "\uFFFD"), Errno: code}
	dropped, ok := r.budget.Take()
	if !ok {
		r.last = e
		return
	}
	e.Dropped = dropped
	r.emit(e)
}

// flush says what no later line can: the last of those that were dropped, and how many
// there were before it.
func (r *refusals) flush() {
	if dropped := r.budget.Flush(); dropped > 0 {
		r.last.Dropped = dropped - 1
		r.emit(r.last)
	}
}
