package cli

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"

	"rookery/capsule/id"
	"rookery/capsule/layout"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/cli/internal/view"
	"rookery/supervisor/records"
)

// noEnd is the detail of a session without a record of its end, in a listing from disk.
const noEnd = "no record of its end: it may live without a supervisor, or the next one says how it ended"

// onDisk reads every session's records. What cannot be read is said on stderr.
func onDisk(env *Env, state layout.State) []records.Session {
	sessions, errs := records.Scan(state)
	for _, err := range errs {
		_, _ = fmt.Fprintln(env.Stderr, "warning: "+view.CleanText(err.Error()))
	}
	return sessions
}

// diskSession is a session as the operator API shows it, as far as its records tell. One without an end has no state.
func diskSession(s records.Session) *operatorv1.Session {
	out := &operatorv1.Session{
		SessionId: s.SessionID, RootId: s.RootID, Capsule: s.CapsuleName, Version: s.Version, SpawnedBy: s.SpawnedBy, DelegationId: s.DelegationID,
		RootSessionId: s.RootSessionID, Depth: uint32(s.Depth), StartedAt: timestamppb.New(s.StartedAt), RecordsDir: s.Dir, Workdir: s.Workdir,
		Detail: noEnd,
	}
	if s.Ended {
		out.State, out.Status, out.Detail = operatorv1.SessionState_SESSION_STATE_ENDED, string(s.Status), s.Detail
		out.EndedAt = timestamppb.New(s.StartedAt.Add(s.Duration))
	}
	return out
}

func diskSessions(all []records.Session) []*operatorv1.Session {
	out := make([]*operatorv1.Session, len(all))
	for i, s := range all {
		out[i] = diskSession(s)
	}
	return out
}

// diskDelegations are the delegations that the filter selects, in the order they were made.
func diskDelegations(all []records.Session, q *operatorv1.ListDelegationsRequest) ([]*operatorv1.Delegation, error) {
	parent, err := diskID(all, q.GetParentSessionId())
	if err != nil {
		return nil, err
	}
	root, err := diskID(all, q.GetRootSessionId())
	if err != nil {
		return nil, err
	}
	out := []*operatorv1.Delegation{}
	for _, s := range all {
		d := diskDelegation(s)
		if d.GetDelegationId() != "" && (len(q.GetStates()) == 0 || slices.Contains(q.GetStates(), d.GetState())) &&
			(q.GetStatus() == "" || q.GetStatus() == d.GetStatus()) && (q.GetCapsule() == "" || q.GetCapsule() == d.GetCapsule()) &&
			(parent == "" || parent == d.GetParentSessionId()) && (root == "" || root == d.GetRootSessionId()) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b *operatorv1.Delegation) int { return cmp.Compare(a.GetDelegationId(), b.GetDelegationId()) })
	return out, nil
}

func diskDelegation(s records.Session) *operatorv1.Delegation {
	out := &operatorv1.Delegation{
		DelegationId: s.DelegationID, Capsule: s.CapsuleName, Version: s.Version, ParentSessionId: s.SpawnedBy, RootSessionId: s.RootSessionID,
		ContextId: s.ContextID, SessionId: s.SessionID, Depth: uint32(s.Depth), Workdir: s.Workdir, RecordsDir: s.Dir,
		StartedAt: timestamppb.New(s.StartedAt), Detail: noEnd,
	}
	if s.Ended {
		out.State, out.Status, out.Detail = operatorv1.DelegationState_DELEGATION_STATE_ENDED, string(s.Status), s.Detail
		out.ReportedBy, out.Delivered, out.DeliveryError = string(s.ReportedBy), s.Delivered, s.DeliveryError
		out.ResultPath, out.DurationMs = s.ResultPath, s.Duration.Milliseconds()
		out.EndedAt = timestamppb.New(s.StartedAt.Add(s.Duration))
	}
	return out
}

// diskID is the session that a filter names; none stays none.
func diskID(all []records.Session, query string) (string, error) {
	if query == "" {
		return "", nil
	}
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = s.SessionID
	}
	full, err := id.Suffix(query, ids)
	if err != nil {
		return "", usage("session %w", err)
	}
	return full, nil
}

// diskEither finds a session by its own id or by that of the delegation that made it.
func diskEither(all []records.Session, query string) (records.Session, error) {
	of := map[string]records.Session{}
	var ids []string
	for _, s := range all {
		of[s.SessionID] = s
		ids = append(ids, s.SessionID)
		if s.DelegationID != "" {
			of[s.DelegationID] = s
			ids = append(ids, s.DelegationID)
		}
	}
	full, err := id.Suffix(query, ids)
	if err != nil {
		return records.Session{}, usage("session or delegation %w", err)
	}
	return of[full], nil
}
