package murmur

import (
	"iter"
	"time"
)

// Kind is a kind of event.
type Kind string

// The kinds of event.
const (
	KindOutcome  Kind = "outcome"  // a child has ended: Event.Outcome
	KindProgress Kind = "progress" // a child has said how far it is: Event.Progress
	KindInput    Kind = "input"    // a message has answered RequestInput: Event.Input
	KindCancel   Kind = "cancel"   // this capsule is being ended: Event.Cancel
)

// Event is one thing that happened.
type Event struct {
	// Seq is its place in the order, from 1; the same at every read.
	Seq  uint64 `json:"seq"`
	Kind Kind   `json:"kind"`
	// One of these is there, the one that Kind names; none for a kind of a newer host.
	Outcome  *Outcome       `json:"outcome"`
	Progress *ChildProgress `json:"progress"`
	Input    *Input         `json:"input"`
	Cancel   *Cancel        `json:"cancel"`
}

// ChildProgress is what a child has said. Of a child that says much, not every word is told.
type ChildProgress struct {
	DelegationID string `json:"delegation_id"`
	Capsule      string `json:"capsule"`
	Version      string `json:"version"`
	State        string `json:"state"` // "working" or "input-required"
	// Message is the child's own text, or its question.
	Message string `json:"message"`
	// AtMS is when, in milliseconds since 1970.
	AtMS int64 `json:"at_ms"`
}

// Cancel says that this capsule is being ended.
type Cancel struct {
	Reason string `json:"reason"`
}

// WaitRequest says what to wait for.
type WaitRequest struct {
	// After continues behind what an earlier answer has held: its Next.
	After uint64
	// Kinds are the kinds wanted; empty: all.
	Kinds []Kind
	// Timeout bounds the wait; 0: as long as this capsule may run.
	Timeout time.Duration
	// Poll does not wait at all.
	Poll bool
}

// Waited is what has happened.
type Waited struct {
	// Events are in the order in which they happened: at most 64 of them, or 1 MiB, in one answer.
	Events []Event `json:"events"`
	// Next is what to pass as After to go on.
	Next uint64 `json:"next"`
	// Missed is how many events the host has forgotten before the last of these. No outcome is ever forgotten.
	Missed uint64 `json:"missed"`
}

// Wait returns when something has happened. It is a repeatable read: with the same After it gives the same again. A
// timeout is no error: Events is empty then. Canceled means that this capsule is being ended.
func Wait(r WaitRequest) (Waited, error) {
	var waited Waited
	err := call("wait", r.wire(), &waited)
	return waited, err
}

// Events waits for one event after another of these kinds, all without any, from the first that this task has had. It
// ends after an error, with Canceled when this capsule is being ended.
func Events(kinds ...Kind) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		request := WaitRequest{Kinds: kinds}
		for {
			waited, err := Wait(request)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range waited.Events {
				if !yield(e, nil) {
					return
				}
			}
			request.After = waited.Next
		}
	}
}

type waitRequest struct {
	After       uint64   `json:"after,omitempty"`
	Kinds       []Kind   `json:"kinds,omitempty"`
	TimeoutSecs *float64 `json:"timeout_secs,omitempty"`
}

func (r WaitRequest) wire() waitRequest {
	return waitRequest{After: r.After, Kinds: r.Kinds, TimeoutSecs: timeout(r.Timeout, r.Poll)}
}

// timeout is nil for a wait without a bound of its own.
func timeout(bound time.Duration, poll bool) *float64 {
	switch seconds := bound.Seconds(); {
	case poll:
		return new(float64)
	case seconds != 0:
		return &seconds
	}
	return nil
}
