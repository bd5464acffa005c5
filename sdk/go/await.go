package murmur

import "time"

// AwaitRequest says which outcomes to wait for.
type AwaitRequest struct {
	// Delegations are the ids to wait for; empty: all of this capsule's.
	Delegations []string
	// Any returns as soon as one outcome is there, instead of when all are.
	Any bool
	// Timeout bounds the wait; 0: as long as this capsule may run.
	Timeout time.Duration
	// Poll does not wait at all.
	Poll bool
	// After continues where an answer with Next stopped.
	After uint64
}

// Awaited is what has ended so far.
type Awaited struct {
	// Outcomes are in the order in which they became known: at most 16 of them, or 1 MiB, in one answer.
	Outcomes []Outcome `json:"outcomes"`
	// Outstanding are the ids asked for that still run.
	Outstanding []string `json:"outstanding"`
	// Next, when it is not 0, says that more outcomes are there: ask again with After set to it.
	Next uint64 `json:"next"`
}

// Await waits for outcomes. It is a repeatable read: the outcome of an id that is asked for again is given again. A
// timeout is no error: what is there is returned. Canceled means that this capsule is being ended.
func Await(r AwaitRequest) (Awaited, error) {
	var awaited Awaited
	err := call("await", r.wire(), &awaited)
	return awaited, err
}

// AwaitAll waits until every one of the delegations has ended and returns all their outcomes; without ids, those of
// all delegations of this capsule.
func AwaitAll(ids ...string) ([]Outcome, error) {
	var outcomes []Outcome
	request := AwaitRequest{Delegations: ids}
	for {
		awaited, err := Await(request)
		if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, awaited.Outcomes...)
		if awaited.Next == 0 {
			return outcomes, nil
		}
		request.After = awaited.Next
	}
}

type awaitRequest struct {
	DelegationIDs []string `json:"delegation_ids,omitempty"`
	Any           bool     `json:"any,omitempty"`
	TimeoutSecs   *float64 `json:"timeout_secs,omitempty"`
	After         uint64   `json:"after,omitempty"`
}

func (r AwaitRequest) wire() awaitRequest {
	return awaitRequest{
		DelegationIDs: r.Delegations, Any: r.Any, After: r.After, TimeoutSecs: timeout(r.Timeout, r.Poll),
	}
}
