package ops

import (
	"context"
	"encoding/json"
	"fmt"

	hostv1 "rookery/proto/rookery/host/v1"
)

type awaitRequest struct {
	DelegationIDs []string `json:"delegation_ids" doc:"Those waited for; absent: all of this task."`
	Any           bool     `json:"any" doc:"Ends the wait with the first outcome instead of the last."`
	TimeoutSecs   *float64 `json:"timeout_secs" rule:"min=0;max=1e+09" doc:"Bounds the wait; absent: as long as the capsule may run; 0: do not wait."`
	After         uint64   `json:"after" doc:"Leaves out what an earlier answer has held: its next."`
}

// awaitAnswer is sent with its outcomes encoded already, and described with them as they
// are.
type awaitAnswer[O json.RawMessage | outcome] struct {
	Outcomes    []O      `json:"outcomes" doc:"In the order in which they became known: at most 16 of them, or 1 MiB, a call."`
	Outstanding []string `json:"outstanding" doc:"Those asked for that still run."`
	Next        uint64   `json:"next,omitempty" doc:"There are more: ask again with after set to it."`
}

// await waits for outcomes and answers with those that are there when the wait is
// over, whatever ended it. It changes nothing, so it can be asked again.
func await(ctx context.Context, c *Calls, r awaitRequest) (awaitAnswer[json.RawMessage], error) {
	expired, stop := expiry(r.TimeoutSecs)
	defer stop()
	wanted := r.DelegationIDs
	if wanted == nil {
		wanted = c.children.all()
	}
	for _, key := range wanted {
		if !c.children.knows(key) {
			return awaitAnswer[json.RawMessage]{}, &opError{Code: codeNotFound, Message: fmt.Sprintf("no delegation %.64q in this session", key)}
		}
	}
	for over := false; ; {
		changed := c.link.Outcomes().Changed()
		ready, outstanding := c.sort(wanted, r.After)
		// After its canceled answer a guest may still look, but not wait.
		if over || len(outstanding) == 0 || (r.Any && len(ready) > 0) || c.told.Load() {
			outcomes, next, err := page(ready)
			return awaitAnswer[json.RawMessage]{Outcomes: outcomes, Outstanding: outstanding, Next: next}, err
		}
		select {
		case <-ctx.Done():
			return awaitAnswer[json.RawMessage]{}, canceled()
		case <-expired:
			over = true
		case <-changed:
		}
	}
}

// sort tells the wanted delegations that have ended, in the order of release and
// leaving out those up to after, from those that have not. What the task has ended
// itself is neither.
func (c *Calls) sort(wanted []string, after uint64) (ready []*hostv1.ReleasedOutcome, outstanding []string) {
	outstanding = []string{}
	ended := map[string]bool{}
	for _, key := range wanted {
		if _, known := ended[key]; known {
			continue
		}
		_, ended[key] = c.link.Outcomes().Get(key)
		if !ended[key] && !c.children.over(key) {
			outstanding = append(outstanding, key)
		}
	}
	for _, released := range c.link.Outcomes().After(after) {
		if ended[released.GetOutcome().GetDelegationId()] {
			ready = append(ready, released)
		}
	}
	return ready, outstanding
}
