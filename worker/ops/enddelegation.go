package ops

import "context"

type endDelegationRequest struct {
	DelegationID string `json:"delegation_id" rule:"required"`
}

// endDelegation ends a child and answers with its outcome. The supervisor knows whose
// child it is. What a task has ended itself is not released to it once more, so this is
// where the outcome becomes known.
func endDelegation(ctx context.Context, c *Calls, r endDelegationRequest) (outcome, error) {
	// One that is out is here whole; the supervisor keeps its text only until it is acknowledged.
	if released, ok := c.link.Outcomes().Get(r.DelegationID); ok {
		return outcomeOf(released.GetOutcome()), nil
	}
	ended, err := c.link.EndDelegation(ctx, r.DelegationID)
	if err != nil {
		return outcome{}, err
	}
	c.children.told(ended)
	return outcomeOf(ended), nil
}
