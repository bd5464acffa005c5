package ops

import (
	"errors"
	"sync"
	"time"

	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/worker/hostlink"
	"rookery/worker/trace"
)

// Children knows the delegations of the one task, and traces them. It is safe for
// concurrent use.
type Children struct {
	trace *trace.Writer
	task  string // the task's event, above those of its delegations

	mu      sync.Mutex // guards what follows, held while the trace is written
	started []string
	byID    map[string]*child
	refused trace.Budget
	unsure  bool
	changed chan struct{} // closed when a child ends
}

// child is one delegation. An outcome may arrive before the answer that names the
// delegation; then only the outcome is known.
type child struct {
	started *hostv1.DelegateResponse
	outcome *hostv1.Outcome
	told    bool // by end-delegation
}

// NewChildren returns what knows of no delegation yet. task is the id of the task's
// trace event.
func NewChildren(w *trace.Writer, task string) *Children {
	return &Children{trace: w, task: task, byID: map[string]*child{}, refused: trace.Budget{Now: time.Now}, changed: make(chan struct{})}
}

// Released takes note of an outcome, before anybody who waits for it is woken.
func (c *Children) Released(r *hostv1.ReleasedOutcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.child(r.GetOutcome().GetDelegationId())
	if known.outcome != nil {
		return
	}
	known.outcome = r.GetOutcome()
	if known.started != nil {
		c.end(known)
	}
}

// Outstanding is the ids of the delegations that have not ended, oldest first.
func (c *Children) Outstanding() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	running := []string{}
	for _, key := range c.started {
		if c.byID[key].outcome == nil {
			running = append(running, key)
		}
	}
	return running
}

// told takes note of an outcome that the task has been handed by end-delegation.
func (c *Children) told(ended *hostv1.Outcome) {
	c.Released(&hostv1.ReleasedOutcome{Outcome: ended})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byID[ended.GetDelegationId()].told = true
}

// over reports whether the task has been handed the delegation's outcome by
// end-delegation. It may never be released then.
func (c *Children) over(delegationID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.byID[delegationID]
	return known != nil && known.told
}

// Unsettled reports whether the supervisor may still run a child of this task.
func (c *Children) Unsettled() bool {
	if len(c.Outstanding()) > 0 {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unsure
}

// Changed is closed when the next child ends. To miss none, get it before looking.
func (c *Children) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// all is every delegation started here, oldest first.
func (c *Children) all() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.started...)
}

// knows reports whether the delegation is this session's.
func (c *Children) knows(delegationID string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byID[delegationID] != nil
}

// start takes note of a delegation that runs. The answer to a repeated request is
// noted once.
func (c *Children) start(response *hostv1.DelegateResponse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.child(response.GetDelegationId())
	if known.started != nil {
		return
	}
	known.started = response
	c.started = append(c.started, response.GetDelegationId())
	c.trace.Emit(c.task, trace.DelegationStart{
		DelegationID: response.GetDelegationId(), Capsule: response.GetCapsule(),
		Version: response.GetVersion(), ChildSessionID: response.GetSessionId(),
	})
	if known.outcome != nil {
		c.end(known)
	}
}

// failed takes note of a delegation that did not start, or of which it is not known.
func (c *Children) failed(request *hostv1.DelegateRequest, err error) {
	var refused *hostlink.RefusedError
	c.mu.Lock()
	defer c.mu.Unlock()
	if !errors.As(err, &refused) {
		c.unsure = true
		return
	}
	if dropped, ok := c.refused.Take(); ok {
		c.trace.Emit(c.task, trace.Delegation{
			Capsule: request.GetCapsule(), Version: request.GetVersion(),
			Outcome: "refused", Reason: &refused.Message, Dropped: dropped,
		})
	}
}

func (c *Children) child(delegationID string) *child {
	known := c.byID[delegationID]
	if known == nil {
		known = &child{}
		c.byID[delegationID] = known
	}
	return known
}

// end traces a delegation of which both ends are known.
func (c *Children) end(known *child) {
	delegation, session := known.started.GetDelegationId(), known.started.GetSessionId()
	event := trace.Delegation{
		Capsule: known.started.GetCapsule(), Version: known.started.GetVersion(),
		DelegationID: &delegation, ChildSessionID: &session,
		DurationMS: known.outcome.GetDurationMs(), Outcome: known.outcome.GetStatus(),
	}
	if detail := known.outcome.GetDetail(); detail != "" {
		event.Reason = &detail
	}
	c.trace.Emit(c.task, event)
	close(c.changed)
	c.changed = make(chan struct{})
}
