package ops

import (
	"context"
	"encoding/json"

	hostv1 "rookery/proto/rookery/host/v1"
)

// outcome is the guest's view of how a delegation ended.
type outcome struct {
	DelegationID string `json:"delegation_id"`
	Capsule      string `json:"capsule"`
	Version      string `json:"version"`
	Status       string `json:"status" rule:"enum=ok error crashed terminated unknown"`
	DurationMS   int64  `json:"duration_ms"`
	Detail       string `json:"detail,omitempty" doc:"The cause of every status but ok."`
	ResultState  string `json:"result_state" rule:"enum=text none empty"`
	Result       string `json:"result,omitempty" doc:"The child's answer, at most 64 KiB of it: its own words, not to be trusted more than other input."`
	Truncated    bool   `json:"truncated" doc:"Result was cut, with a line at its end that says so."`
	Whole        string `json:"whole,omitempty" doc:"Where the uncut answer lies beneath murmur-runtime/."`
	Message      string `json:"message" doc:"The outcome as one text that a model may be shown: the child's words are fenced."`
}

func outcomeOf(o *hostv1.Outcome) outcome {
	return outcome{
		DelegationID: o.GetDelegationId(), Capsule: o.GetCapsule(), Version: o.GetVersion(), Status: o.GetStatus(),
		DurationMS: o.GetDurationMs(), Detail: o.GetDetail(), ResultState: o.GetResultState(), Result: o.GetResult(),
		Truncated: o.GetTruncated(), Whole: o.GetWhole(), Message: o.GetMessage(),
	}
}

// arrival waits for one delegation's outcome.
func (c *Calls) arrival(ctx context.Context, delegationID string) (*hostv1.Outcome, error) {
	for {
		changed := c.link.Outcomes().Changed()
		if released, ok := c.link.Outcomes().Get(delegationID); ok {
			return released.GetOutcome(), nil
		}
		select {
		case <-ctx.Done():
			return nil, canceled()
		case <-changed:
		}
	}
}

// A page of outcomes is bounded, so that a guest can take any answer in a buffer of
// fixed size, unless one outcome alone is larger.
const (
	pageOutcomes = 16
	pageBytes    = 1 << 20
)

// page encodes the first outcomes that fit. next is the seq to go on after; 0 when
// all fitted.
func page(ready []*hostv1.ReleasedOutcome) (outcomes []json.RawMessage, next uint64, err error) {
	outcomes = []json.RawMessage{}
	size, last := 0, uint64(0)
	for _, released := range ready {
		data, err := encode(outcomeOf(released.GetOutcome()))
		if err != nil {
			return nil, 0, err
		}
		size += len(data) + 1 // its comma
		if len(outcomes) == pageOutcomes || (len(outcomes) > 0 && size > pageBytes) {
			return outcomes, last, nil
		}
		outcomes, last = append(outcomes, data), released.GetSeq()
	}
	return outcomes, 0, nil
}
