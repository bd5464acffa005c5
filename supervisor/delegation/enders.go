package delegation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"rookery/supervisor/ledger"
)

// Kill ends a delegation and everything beneath it for an operator. It returns the delegation as it ended; for one that has ended
// already nothing happens. The error wraps ledger.ErrNotFound for an unknown id.
func (t *Tree) Kill(ctx context.Context, delegationID, reason string, grace time.Duration) (ledger.Delegation, error) {
	return t.endOne(ctx, delegationID, byOperator(reason), grace)
}

// StopSession ends a session and everything beneath it for an operator, as Kill does a delegation.
func (t *Tree) StopSession(ctx context.Context, session, reason string, grace time.Duration) (ledger.Session, error) {
	s, ok := t.ledger.Session(session)
	if !ok {
		return s, fmt.Errorf("session %s: %w", session, ledger.ErrNotFound)
	}
	if err := t.endAndWait(ctx, s.ID, s.State, byOperator(reason), grace); err != nil {
		return s, err
	}
	s, _ = t.ledger.Session(session)
	return s, nil
}

func byOperator(reason string) ledger.Cause {
	detail := "ended by an operator"
	if reason != "" {
		detail += ": " + reason
	}
	return ledger.Cause{Kind: ledger.CauseOperator, Detail: detail, By: "operator", Tell: true}
}

// EndDelegation ends a child for its parent. An id that is not a delegation of that session is a *Refusal.
func (t *Tree) EndDelegation(ctx context.Context, session, delegationID string) (ledger.Delegation, error) {
	d, ok := t.ledger.Delegation(delegationID)
	if !ok || d.ParentSessionID != session {
		return ledger.Delegation{}, refuse(CodeNotFound, "there is no delegation %q of this session", delegationID)
	}
	return t.endOne(ctx, delegationID, ledger.Cause{Kind: ledger.CauseParent, Detail: "ended by the parent", By: "parent"}, endBudget)
}

func (t *Tree) endOne(ctx context.Context, delegationID string, cause ledger.Cause, budget time.Duration) (ledger.Delegation, error) {
	d, ok := t.ledger.Delegation(delegationID)
	if !ok {
		return ledger.Delegation{}, fmt.Errorf("delegation %s: %w", delegationID, ledger.ErrNotFound)
	}
	if err := t.endAndWait(ctx, d.SessionID, d.State, cause, budget); err != nil {
		return ledger.Delegation{}, err
	}
	d, _ = t.ledger.Delegation(delegationID)
	return d, nil
}

// endAndWait ends what has not ended. The end goes on when the caller gives up waiting: its cause is durable.
func (t *Tree) endAndWait(ctx context.Context, session string, state ledger.State, cause ledger.Cause, budget time.Duration) error {
	if state == ledger.Ended {
		return nil
	}
	done := make(chan error, 1)
	t.spawn(func() { done <- t.end(session, cause, budget) })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("session %s is being ended: %w", session, ctx.Err())
	}
}

// EndTask ends the children that a session's ended task left running, and starts the session's own last seconds. It returns when the
// children are settled.
func (t *Tree) EndTask(session, task string) error {
	r := t.run(session)
	if r == nil || r.session.TaskID != task {
		return refuse(CodeNotFound, "task %q is not this session's", task)
	}
	r.over.say()
	err := t.endChildren(session, ledger.Cause{Kind: ledger.CauseTask, Detail: "ended with the delegating task"})
	r.leaving.say()
	return err
}

// endChildren ends every live child of a session at once, each with its subtree.
func (t *Tree) endChildren(session string, cause ledger.Cause) error {
	return t.finishChildren(t.markChildren(session, cause))
}

// markChildren commits the cause of every live child and returns what is to be ended.
func (t *Tree) markChildren(session string, cause ledger.Cause) (marked [][]ledger.Session, err error) {
	for _, child := range t.ledger.Children(session) {
		if !child.State.Live() {
			continue
		}
		sessions, fault := t.mark(child.ID, cause)
		err = errors.Join(err, fault)
		marked = append(marked, sessions)
	}
	return marked, err
}

func (t *Tree) finishChildren(marked [][]ledger.Session, err error) error {
	until := time.Now().Add(endBudget)
	errs := make([]error, len(marked))
	var wg sync.WaitGroup
	for i, sessions := range marked {
		wg.Go(func() { errs[i] = t.finish(sessions, until) })
	}
	wg.Wait()
	return errors.Join(err, errors.Join(errs...))
}

// Drain refuses new work and ends every tree: all causes first, then bottom-up, within one budget. A cancelled ctx cuts the budget
// short: what is left is killed at once. So is what could not be ended for a cause, when no cause can be committed any more: a disk that
// takes nothing must not keep a supervisor from stopping, and the next one concludes what this one could not.
func (t *Tree) Drain(ctx context.Context, budget time.Duration) error {
	t.draining.Store(true)
	stopKilling := context.AfterFunc(ctx, t.killAll)
	defer stopKilling()
	var all []ledger.Session
	var errs []error
	cause := ledger.Cause{Kind: ledger.CauseDrain, Detail: "the supervisor was stopped", By: "supervisor", Tell: true}
	for _, root := range t.tops() {
		sessions, err := t.mark(root, cause)
		if errors.Is(err, ledger.ErrNotFound) {
			continue // its intent came too late: it is refused
		}
		errs = append(errs, err)
		all = append(all, sessions...)
	}
	err := errors.Join(append(errs, t.finish(all, time.Now().Add(budget)))...)
	if err != nil {
		t.killAll()
	}
	return err
}

// tops are the root sessions that live, and those whose intents are on their way into the ledger: whoever was admitted before draining
// was set is among the runs.
func (t *Tree) tops() []string {
	var ids []string
	for _, s := range t.ledger.Sessions(ledger.Filter{States: []ledger.State{ledger.Starting, ledger.Running, ledger.Ending}}) {
		if s.SpawnedBy == "" {
			ids = append(ids, s.ID)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, r := range t.runs {
		if r.session.SpawnedBy == "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// killAll kills every worker without asking.
func (t *Tree) killAll() {
	t.mu.Lock()
	runs := make([]*run, 0, len(t.runs))
	for _, r := range t.runs {
		runs = append(runs, r)
	}
	t.mu.Unlock()
	for _, r := range runs {
		r.cancel()
		if w := r.worker.Load(); w != nil {
			t.spawn(func() { r.kill(w) })
		}
	}
}
