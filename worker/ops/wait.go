package ops

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

type waitRequest struct {
	After       uint64   `json:"after" doc:"Leaves out what an earlier answer has held: its next."`
	Kinds       []string `json:"kinds" rule:"enum=outcome progress input cancel;min=1;max=4" doc:"Only these; absent: all."`
	TimeoutSecs *float64 `json:"timeout_secs" rule:"min=0;max=1e+09" doc:"Bounds the wait; absent: as long as the capsule may run; 0: do not wait."`
}

// waitAnswer is sent with its events encoded already, and described with them as they
// are.
type waitAnswer[E json.RawMessage | event] struct {
	Events []E    `json:"events" doc:"In the order in which it happened: at most 64 of them, or 1 MiB, a call."`
	Next   uint64 `json:"next" doc:"What to pass as after to go on."`
	Missed uint64 `json:"missed,omitempty" doc:"How many events before the last of these were forgotten; none was an outcome."`
}

type eventsPage = waitAnswer[json.RawMessage]

// pageEvents bounds one answer; pageBytes does too.
const pageEvents = 64

// wait waits until something has happened and answers with it. It changes nothing, so
// it can be asked again.
func wait(ctx context.Context, c *Calls, r waitRequest) (eventsPage, error) {
	expired, stop := expiry(r.TimeoutSecs)
	defer stop()
	for over := false; ; {
		events, changed := c.events.after(r.After)
		if c.canceled() && !c.told.Load() {
			return eventsPage{}, canceled()
		}
		answer, err := eventPage(events, r)
		// After its canceled answer a guest may still look, but not wait.
		if err != nil || over || len(answer.Events) > 0 || c.told.Load() {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return eventsPage{}, canceled()
		case <-expired:
			over = true
		case <-changed:
		}
	}
}

// eventPage encodes the first events that are wanted and fit.
func eventPage(events []event, r waitRequest) (eventsPage, error) {
	answer := eventsPage{Events: []json.RawMessage{}, Next: r.After}
	size, there := 0, uint64(0)
	for _, e := range events {
		there++
		if r.Kinds != nil && !slices.Contains(r.Kinds, e.Kind) {
			continue
		}
		data, err := encode(e)
		if err != nil {
			return eventsPage{}, err
		}
		size += len(data) + 1 // its comma
		if len(answer.Events) == pageEvents || (len(answer.Events) > 0 && size > pageBytes) {
			break
		}
		answer.Events, answer.Next = append(answer.Events, data), e.Seq
		// The seqs have no gaps but those that were forgotten.
		answer.Missed = e.Seq - r.After - there
	}
	if r.Kinds != nil && !slices.Contains(r.Kinds, kindProgress) && !slices.Contains(r.Kinds, kindInput) {
		answer.Missed = 0
	}
	return answer, nil
}

// expiry is the channel of a timer that a request may want, and never receives from
// without one.
func expiry(secs *float64) (<-chan time.Time, func()) {
	if secs == nil {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Duration(*secs * float64(time.Second)))
	return timer.C, func() { timer.Stop() }
}
