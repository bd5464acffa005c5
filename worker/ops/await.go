package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	hostv1 "rookery/proto/rookery/host/v1"
)

type awaitRequest struct {
	// DelegationIDs are those waited for; absent: all of this task.
	DelegationIDs []string `json:"delegation_ids"`
	// Any ends the wait with the first outcome.
	Any bool `json:"any"`
	// TimeoutSecs bounds the wait; absent: as long as the capsule runs; 0: do not wait.
	TimeoutSecs *float64 `json:"timeout_secs"`
	// After leaves out what an earlier answer has held.
	After uint64 `json:"after"`
}

type awaitAnswer struct {
	Outcomes    []json.RawMessage `json:"outcomes"`
	Outstanding []string          `json:"outstanding"`
	Next        uint64            `json:"next,omitempty"`
}

// await waits for outcomes and answers with those that are there when the wait is
// over, whatever ended it. It changes nothing, so it can be asked again.
func await(ctx context.Context, c *Calls, r awaitRequest) (any, error) {
	var expired <-chan time.Time
	if r.TimeoutSecs != nil {
		limit, err := duration("timeout_secs", *r.TimeoutSecs)
		if err != nil {
			return nil, err
		}
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	wanted := r.DelegationIDs
	if wanted == nil {
		wanted = c.children.all()
	}
	for _, key := range wanted {
		if !c.children.knows(key) {
			return nil, &opError{Code: codeNotFound, Message: fmt.Sprintf("no delegation %.64q in this session", key)}
		}
	}
	for over := false; ; {
		changed := c.link.Outcomes().Changed()
		ready, outstanding := c.sort(wanted, r.After)
		// After its canceled answer a guest may still look, but not wait.
		if over || len(outstanding) == 0 || (r.Any && len(ready) > 0) || c.told.Load() {
			outcomes, next, err := page(ready)
			return awaitAnswer{Outcomes: outcomes, Outstanding: outstanding, Next: next}, err
		}
		select {
		case <-ctx.Done():
			return nil, canceled()
		case <-expired:
			over = true
		case <-changed:
		}
	}
}

// sort tells the wanted delegations that have ended, in the order of release and
// leaving out those up to after, from those that have not.
func (c *Calls) sort(wanted []string, after uint64) (ready []*hostv1.ReleasedOutcome, outstanding []string) {
	outstanding = []string{}
	ended := map[string]bool{}
	for _, key := range wanted {
		if _, known := ended[key]; known {
			continue
		}
		_, ended[key] = c.link.Outcomes().Get(key)
		if !ended[key] {
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

// maxSecs is some thirty years: longer than any wait, short enough for a Duration.
const maxSecs = 1e9

func duration(field string, secs float64) (time.Duration, error) {
	if secs < 0 || secs > maxSecs {
		return 0, badRequest("field %q must be between 0 and %g", field, maxSecs)
	}
	return time.Duration(secs * float64(time.Second)), nil
}
