package delegation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"rookery/capsule/outcome"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/supervisor/ledger"
)

// gone bounds the wait for a killed process to leave: the kernel takes milliseconds, unless the process hangs in a device.
const gone = 10 * time.Second

// end ends a session and everything beneath it within the budget, and returns when all of it is settled. The causes are durable
// before anything is asked to end.
func (t *Tree) end(session string, cause ledger.Cause, budget time.Duration) error {
	sessions, err := t.mark(session, cause)
	if err != nil {
		return err
	}
	return t.finish(sessions, time.Now().Add(budget))
}

// mark commits the causes, the whole subtree in one transaction: the named session's own, and for what is beneath it that its parent
// is being ended. A record that is on disk by then stands.
func (t *Tree) mark(session string, cause ledger.Cause) ([]ledger.Session, error) {
	cause.Status, cause.At = outcome.Terminated, time.Now()
	beneath := ledger.Cause{Kind: ledger.CauseParentGone, Status: outcome.Terminated, Detail: "ended with its parent", By: cause.By, At: cause.At, Tell: true}
	ctx, cancel := t.bounded()
	defer cancel()
	t.causes.Lock()
	defer t.causes.Unlock()
	sessions, err := t.ledger.MarkEnding(ctx, session, func(depth int, s ledger.Session) ledger.Cause {
		c := beneath
		if depth == 0 {
			c = cause
		}
		// For a later supervisor, if this one dies before it has asked: what came after the cause does not count.
		c.RecordStood = t.ownRecord(s) != nil
		return c
	})
	if err != nil {
		return nil, fmt.Errorf("end session %s: %w", session, err)
	}
	for _, s := range sessions {
		if r := t.run(s.ID); r != nil && !r.marked {
			// Asked when the cause is durable: one that came after the exit has ended nothing.
			r.marked, r.late = true, r.gone()
			r.stood = t.ownRecord(r.session) != nil // also one that came while the cause was being committed
		}
	}
	return sessions, nil
}

// finish ends marked sessions, deepest level first, each level at once.
func (t *Tree) finish(sessions []ledger.Session, until time.Time) error {
	var errs []error
	var mu sync.Mutex
	for len(sessions) > 0 {
		depth := 0
		for _, s := range sessions {
			depth = max(depth, s.Depth)
		}
		var rest []ledger.Session
		var level sync.WaitGroup
		for _, s := range sessions {
			if s.Depth < depth {
				rest = append(rest, s)
				continue
			}
			level.Go(func() {
				if err := t.finishOne(s, until); err != nil {
					mu.Lock()
					defer mu.Unlock()
					errs = append(errs, err)
				}
			})
		}
		level.Wait()
		sessions = rest
	}
	return errors.Join(errs...)
}

func (t *Tree) finishOne(s ledger.Session, until time.Time) error {
	if r := t.run(s.ID); r != nil { // else it was settled meanwhile
		if err := t.finishRun(r, s, until); err != nil {
			return err
		}
	}
	if row, _ := t.ledger.Session(s.ID); row.State.Live() {
		return fmt.Errorf("end session %s: its process is gone, and its end could not be committed", s.ID)
	}
	return nil
}

func (t *Tree) finishRun(r *run, s ledger.Session, until time.Time) error {
	r.cancel()
	ctx, cancel := context.WithTimeout(t.base, max(time.Until(until), 0)+gone)
	defer cancel()
	select {
	case <-r.launched:
	case <-ctx.Done():
		return fmt.Errorf("end session %s: it is still starting", s.ID)
	}
	if w := r.worker.Load(); w != nil {
		request := ask(s.Cause)
		if !r.assigned.Load() {
			request = nil // nothing of the capsule has run
		}
		if err := w.Stop(ctx, request, min(askGrace, time.Until(until))); err != nil {
			return fmt.Errorf("end session %s: %w", s.ID, err)
		}
	}
	select {
	case <-r.settled:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("end session %s: its process %d was ended, and %s later its end is still not on record", s.ID, s.Identity.PID, gone)
	}
}

func ask(c *ledger.Cause) *workerv1.EndRequest {
	kind := map[ledger.CauseKind]workerv1.EndCause{
		ledger.CauseParent:     workerv1.EndCause_END_CAUSE_PARENT,
		ledger.CauseOperator:   workerv1.EndCause_END_CAUSE_OPERATOR,
		ledger.CauseDeadline:   workerv1.EndCause_END_CAUSE_DELEGATION_DEADLINE,
		ledger.CauseTask:       workerv1.EndCause_END_CAUSE_TASK_ENDED,
		ledger.CauseParentGone: workerv1.EndCause_END_CAUSE_PARENT_GONE,
		ledger.CauseDrain:      workerv1.EndCause_END_CAUSE_DRAIN,
	}
	if c == nil {
		return &workerv1.EndRequest{}
	}
	return &workerv1.EndRequest{Cause: kind[c.Kind], Detail: c.Detail}
}
