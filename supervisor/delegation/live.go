package delegation

import (
	"time"

	"rookery/capsule/outcome"
	"rookery/launcher"
	"rookery/supervisor/ledger"
)

// watch waits for the worker's death. It ends the session at the delegation's deadline, and kills a worker whose task outlives its own
// deadline, or that outlives its own last seconds. It returns what it had to force, or "".
func (r *run) watch(w *launcher.Worker) (forced string) {
	own := r.entry.Package.Manifest.Capabilities.Limits.Deadline
	deadline, stopDeadline := after(r.bound)
	defer stopDeadline()
	late, stopLate := after(own + backstop)
	defer stopLate()
	var last <-chan time.Time
	stopLast := func() {}
	defer func() { stopLast() }()
	over, leaving := r.over.said, r.leaving.said
	for {
		select {
		case <-w.Done():
			return forced
		case <-deadline:
			r.expire()
		case <-late:
			forced = "deadline " + outcome.Span(own)
			r.kill(w)
		case <-over:
			// What is left to do was bounded by whoever said so: the end of its children, and then leaveGrace.
			over, late = nil, nil
		case <-leaving:
			leaving = nil
			last, stopLast = after(leaveGrace)
		case <-last:
			r.kill(w)
		}
	}
}

// kill ends the worker without asking. A process that even then stays is the operator's to see: the session stays open with it.
func (r *run) kill(w *launcher.Worker) {
	if err := w.Stop(r.tree.base, nil, 0); err != nil {
		r.tree.log.Error().Err(err).Str("session", r.session.ID).Int("pid", w.Identity().PID).Msg("a worker could not be killed")
	}
}

// after is a timer's channel, or one that never fires for a zero length.
func after(d time.Duration) (<-chan time.Time, func()) {
	if d <= 0 {
		return nil, func() {}
	}
	timer := time.NewTimer(d)
	return timer.C, func() { timer.Stop() }
}

// expire ends a delegation at its deadline; the watch goes on and sees the death.
func (r *run) expire() {
	cause := ledger.Cause{Kind: ledger.CauseDeadline, Detail: "delegation deadline " + outcome.Span(r.bound), Tell: true}
	r.tree.spawn(func() {
		if err := r.tree.end(r.session.ID, cause, endBudget); err != nil {
			r.tree.log.Error().Err(err).Str("session", r.session.ID).Msg("the delegation deadline could not be enforced")
		}
	})
}

// deadlineFromNow is the delegation's end on the wall clock, for the worker; 0 for a root.
func (r *run) deadlineFromNow() int64 {
	if r.bound <= 0 {
		return 0
	}
	return time.Now().Add(r.bound).UnixMilli()
}
