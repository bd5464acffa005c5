package tasks

import (
	"context"
	"time"

	"rookery/capsule/failpoint"
	"rookery/capsule/outcome"
	"rookery/proto/plugin"
	"rookery/worker/hostlink"
	"rookery/worker/internal/live"
)

// Bounds of the last steps.
const (
	// childrenTimeout bounds ending the children the task left running: the
	// supervisor needs a second for a subtree, more when many end at once.
	childrenTimeout = 10 * time.Second
	// newsTimeout bounds waiting for the outcomes of children that are gone already.
	newsTimeout = 500 * time.Millisecond
	// postTimeout bounds ringing the parent's door.
	postTimeout = 2 * time.Second
	// closeTimeout bounds the last acknowledgements.
	closeTimeout = 500 * time.Millisecond
)

// ending is how a session ends.
type ending struct {
	status outcome.Status // empty: ok
	detail string
	// state is rejected when the task said so; empty: the status tells.
	state live.State
	// said is what the task said when it finished, printed its standard output: answers
	// if it leaves no other.
	said, printed string
	// answered: the records hold an answer.
	answered bool
	// lasted is how long the session had lasted then, in milliseconds.
	lasted int64
}

func failed(detail string) ending { return ending{status: outcome.Error, detail: detail} }

// spoil makes a good end a bad one. A bad one keeps its own cause.
func (e *ending) spoil(detail string) {
	if e.status != outcome.Error {
		e.status, e.detail = outcome.Error, detail
	}
}

// conclude does what is left to do when the guest has ended: children, answer,
// trace, records, the parent's door. link is nil if the session has not come so far.
func (s *Session) conclude(ctx context.Context, link *hostlink.Link, end ending) int {
	if end.status == "" {
		end.status = outcome.OK
	}
	if cause := s.ownCause(); cause != "" {
		// Also when the guest has left in time: the deadline did pass.
		end.status, end.detail, end.state = outcome.Error, cause, ""
	}
	if link != nil {
		defer s.closeLink(ctx, link)
		if !s.endAsked() {
			s.endChildren(ctx, link)
		}
		s.keepAnswer(&end)
	}
	s.task.End(s.lastState(end), end.detail)
	end.lasted = s.lasted()
	s.closeTrace(&end)
	if !s.record.CompareAndSwap(recordOpen, recordClaimed) {
		return s.unrecorded(ctx)
	}
	if err := s.write(end); err != nil {
		s.Log.Error().Err(err).Msg("the record could not be written")
		return plugin.ExitRecord
	}
	failpoint.Hit(failpoint.RecordWritten)
	s.tellParent(ctx, end)
	return plugin.ExitDone
}

// lastState is what the door shows of the task from now on.
func (s *Session) lastState(end ending) live.State {
	switch {
	case s.endAsked():
		return live.Canceled
	case end.state != "":
		return end.state
	case end.status == outcome.OK:
		return live.Completed
	}
	return live.Failed
}

// unrecorded is the end of a session that may not write a record: it was asked to
// end, or its watchdog is writing one right now and then ends the process.
func (s *Session) unrecorded(ctx context.Context) int {
	if s.record.Load() == recordForbidden {
		return plugin.ExitEnded
	}
	<-ctx.Done()
	return plugin.ExitWatchdog
}

// endChildren ends what the task left running, and hears how it ended.
func (s *Session) endChildren(ctx context.Context, link *hostlink.Link) {
	if !s.children.Unsettled() {
		return
	}
	ending, cancel := context.WithTimeout(ctx, childrenTimeout)
	defer cancel()
	if err := link.EndTask(ending, s.Assigned.GetTask().GetTaskId()); err != nil {
		// The supervisor ends them when this process is gone.
		s.Log.Warn().Err(err).Msg("children are left to the supervisor")
		return
	}
	news, cancel := context.WithTimeout(ctx, newsTimeout)
	defer cancel()
	for {
		changed := s.children.Changed()
		if len(s.children.Outstanding()) == 0 {
			return
		}
		select {
		case <-news.Done():
			return
		case <-changed:
		}
	}
}

func (s *Session) closeLink(ctx context.Context, link *hostlink.Link) {
	ctx, cancel := context.WithTimeout(ctx, closeTimeout)
	defer cancel()
	if err := link.Close(ctx); err != nil {
		s.Log.Warn().Err(err).Msg("the link is not closed")
	}
}
