package events

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/timestamppb"

	"rookery/capsule/outcome"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/ledger"
)

// Follower turns the ledger's changes into events. Only Run's goroutine uses what it holds.
type Follower struct {
	ring   *Ring
	ledger ledger.Ledger
	// told is the last state that was told of each row the ledger holds.
	told map[string]ledger.State
	// watch is taken before anything can change.
	watch <-chan ledger.Change
	stop  func()
}

// NewFollower takes what the ledger holds now as known: only what changes from here on is told. Run it, or Close it.
func NewFollower(ring *Ring, l ledger.Ledger) *Follower {
	f := &Follower{ring: ring, ledger: l, told: map[string]ledger.State{}}
	f.watch, f.stop = l.Watch()
	for _, s := range l.Sessions(ledger.Filter{}) {
		f.told[s.ID] = s.State
	}
	for _, d := range l.Delegations(ledger.Filter{}) {
		f.told[d.ID] = d.State
	}
	return f
}

// Run tells changes until ctx ends, and then what has changed by then.
func (f *Follower) Run(ctx context.Context) {
	defer f.stop()
	for {
		select {
		case change := <-f.watch:
			f.tell(change)
		case <-ctx.Done():
			select {
			case change := <-f.watch:
				f.tell(change)
			default:
			}
			return
		}
	}
}

// tell makes the events of one change, in the order of their times.
func (f *Follower) tell(change ledger.Change) {
	sessions, delegations := f.changed(change)
	var events []*operatorv1.Event
	for _, s := range sessions {
		for _, p := range passed(f.told[s.ID], s.State, s.StartedAt, s.ReadyAt, causeAt(s.Cause), s.EndedAt) {
			events = append(events, sessionEvent(s, p))
		}
		f.told[s.ID] = s.State
	}
	for _, d := range delegations {
		child, _ := f.ledger.Session(d.SessionID)
		for _, p := range passed(f.told[d.ID], d.State, d.StartedAt, child.ReadyAt, causeAt(d.Cause), d.EndedAt) {
			events = append(events, delegationEvent(d, p))
			if p.state == ledger.Ended {
				events = append(events, outcomeEvent(d, p.at))
			}
		}
		f.told[d.ID] = d.State
	}
	slices.SortStableFunc(events, func(a, b *operatorv1.Event) int { return a.GetTime().AsTime().Compare(b.GetTime().AsTime()) })
	for _, e := range events {
		f.ring.Add(e)
	}
}

// changed reads the rows that a change names, or all of them. Rows that are gone are forgotten.
func (f *Follower) changed(change ledger.Change) (sessions []ledger.Session, delegations []ledger.Delegation) {
	if change.Missed {
		sessions, delegations = f.ledger.Sessions(ledger.Filter{}), f.ledger.Delegations(ledger.Filter{})
		still := make(map[string]ledger.State, len(sessions)+len(delegations))
		for _, s := range sessions {
			still[s.ID] = f.told[s.ID]
		}
		for _, d := range delegations {
			still[d.ID] = f.told[d.ID]
		}
		f.told = still
		return sessions, delegations
	}
	for _, id := range change.Sessions {
		if s, ok := f.ledger.Session(id); ok {
			sessions = append(sessions, s)
		} else {
			delete(f.told, id)
		}
	}
	for _, id := range change.Delegations {
		if d, ok := f.ledger.Delegation(id); ok {
			delegations = append(delegations, d)
		} else {
			delete(f.told, id)
		}
	}
	return sessions, delegations
}

// step is one state that a row has passed through.
type step struct {
	state ledger.State
	at    time.Time
}

var order = []ledger.State{ledger.Starting, ledger.Running, ledger.Ending, ledger.Ended}

// passed are the states between the last one told and the present one that the row was in. Running and Ending may be skipped, which
// their times say.
func passed(told, now ledger.State, started, ready, cause, ended time.Time) []step {
	all := []step{{ledger.Starting, started}, {ledger.Running, ready}, {ledger.Ending, cause}, {ledger.Ended, ended}}
	var steps []step
	for i := slices.Index(order, told) + 1; i <= slices.Index(order, now); i++ {
		if s := all[i]; s.state == now || !s.at.IsZero() {
			steps = append(steps, s)
		}
	}
	return steps
}

func causeAt(c *ledger.Cause) time.Time {
	if c == nil {
		return time.Time{}
	}
	return c.At
}

func stamp(at time.Time) *timestamppb.Timestamp {
	if at.IsZero() {
		at = time.Now()
	}
	return timestamppb.New(at)
}

func sessionEvent(s ledger.Session, p step) *operatorv1.Event {
	e := &operatorv1.Event{
		Kind: operatorv1.EventKind_EVENT_KIND_SESSION, Time: stamp(p.at), SessionId: s.ID, DelegationId: s.DelegationID, ParentSessionId: s.SpawnedBy,
		RootSessionId: s.RootSessionID, Capsule: s.Capsule, Version: s.Version, State: string(p.state),
	}
	if p.state == ledger.Ended {
		e.Status, e.Detail = string(s.Status), outcome.BoundDetail(s.Detail)
	}
	return e
}

func delegationEvent(d ledger.Delegation, p step) *operatorv1.Event {
	e := &operatorv1.Event{
		Kind: operatorv1.EventKind_EVENT_KIND_DELEGATION, Time: stamp(p.at), SessionId: d.SessionID, DelegationId: d.ID,
		ParentSessionId: d.ParentSessionID, RootSessionId: d.RootSessionID, Capsule: d.Capsule, Version: d.Version, State: string(p.state),
	}
	if p.state == ledger.Ended {
		e.Status, e.Detail = string(d.Status), outcome.BoundDetail(d.Detail)
	}
	return e
}

// outcomeEvent is delegationEvent with how it ended, as the guest interface words it.
func outcomeEvent(d ledger.Delegation, at time.Time) *operatorv1.Event {
	e := delegationEvent(d, step{ledger.Ended, at})
	e.Kind, e.State = operatorv1.EventKind_EVENT_KIND_OUTCOME, ""
	e.Outcome = &operatorv1.Outcome{
		DelegationId: d.ID, Capsule: d.Capsule, Version: d.Version, Status: string(d.Status), DurationMs: d.DurationMS, Detail: e.GetDetail(),
		ResultState: string(d.Answer.State), Truncated: d.Answer.Truncated,
	}
	return e
}

// Host is an event of the supervisor itself; state is up or stopping.
func Host(state string) *operatorv1.Event {
	return &operatorv1.Event{Kind: operatorv1.EventKind_EVENT_KIND_HOST, State: state}
}

// Root is an event of a root of the fleet between two of its sessions; session is the one that has ended, if any.
func Root(id, session, capsule, version, state, detail string) *operatorv1.Event {
	return &operatorv1.Event{
		Kind: operatorv1.EventKind_EVENT_KIND_ROOT, RootId: id, SessionId: session, RootSessionId: session, Capsule: capsule, Version: version,
		State: state, Detail: cut(detail, maxDetail),
	}
}

// cut bounds a text that a capsule wrote, at a character, and makes it UTF-8.
func cut(text string, limit int) string {
	if len(text) > limit {
		for limit > 0 && !utf8.RuneStart(text[limit]) {
			limit--
		}
		text = text[:limit] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
