package operator

import (
	"context"
	"os"

	"google.golang.org/protobuf/types/known/timestamppb"

	"rookery/capsule/outcome"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/ledger"
)

var live = []ledger.State{ledger.Starting, ledger.Running, ledger.Ending}

// ListSessions lists sessions in the order they began, the living only unless all is set.
func (s *Server) ListSessions(_ context.Context, q *operatorv1.ListSessionsRequest) (*operatorv1.ListSessionsResponse, error) {
	behind, err := after(q.GetPageToken())
	if err != nil {
		return nil, err
	}
	size := pageSize(q.GetPageSize())
	filter := ledger.Filter{After: behind, Limit: size + 1}
	if !q.GetAll() {
		filter.States = live
	}
	rows := s.ledger.Sessions(filter)
	out := &operatorv1.ListSessionsResponse{}
	if len(rows) > size {
		rows = rows[:size]
		out.NextPageToken = token(rows[size-1].ID)
	}
	for _, row := range rows {
		out.Sessions = append(out.Sessions, sessionRow(row))
	}
	return out, nil
}

// GetSession shows one session.
func (s *Server) GetSession(_ context.Context, q *operatorv1.GetSessionRequest) (*operatorv1.GetSessionResponse, error) {
	row, err := s.session(q.GetSessionId())
	if err != nil {
		return nil, err
	}
	return &operatorv1.GetSessionResponse{Session: sessionRow(row)}, nil
}

// ListDelegations lists delegations in the order they were made.
func (s *Server) ListDelegations(_ context.Context, q *operatorv1.ListDelegationsRequest) (*operatorv1.ListDelegationsResponse, error) {
	behind, err := after(q.GetPageToken())
	if err != nil {
		return nil, err
	}
	parent, err := s.sessionOrNone(q.GetParentSessionId())
	if err != nil {
		return nil, err
	}
	root, err := s.sessionOrNone(q.GetRootSessionId())
	if err != nil {
		return nil, err
	}
	size := pageSize(q.GetPageSize())
	rows := s.ledger.Delegations(ledger.Filter{
		States: ledgerStates(q.GetStates()), Status: outcome.Status(q.GetStatus()), Capsule: q.GetCapsule(),
		ParentSessionID: parent, RootSessionID: root, After: behind, Limit: size + 1,
	})
	out := &operatorv1.ListDelegationsResponse{}
	if len(rows) > size {
		rows = rows[:size]
		out.NextPageToken = token(rows[size-1].ID)
	}
	for _, row := range rows {
		out.Delegations = append(out.Delegations, s.show(row))
	}
	return out, nil
}

func (s *Server) show(d ledger.Delegation) *operatorv1.Delegation {
	child, _ := s.ledger.Session(d.SessionID)
	return delegationRow(d, child)
}

// GetDelegation shows one delegation.
func (s *Server) GetDelegation(_ context.Context, q *operatorv1.GetDelegationRequest) (*operatorv1.GetDelegationResponse, error) {
	d, err := s.delegation(q.GetDelegationId())
	if err != nil {
		return nil, err
	}
	return &operatorv1.GetDelegationResponse{Delegation: s.show(d)}, nil
}

// GetHost says what serves here and how much it knows.
func (s *Server) GetHost(context.Context, *operatorv1.GetHostRequest) (*operatorv1.GetHostResponse, error) {
	l := s.host.Limits
	out := &operatorv1.GetHostResponse{
		Version: s.host.Version, Pid: int32(os.Getpid()), StateDir: s.host.StateDir, StartedAt: timestamppb.New(s.host.StartedAt),
		Containment: s.host.Containment, Checks: s.host.Checks, LatestEvent: s.events.Latest(),
		Limits: &operatorv1.HostLimits{
			MaxDepth: uint32(l.MaxDepth), MaxChildren: uint32(l.MaxChildren), MaxLiveCapsules: uint32(l.MaxLive),
			MaxSpawnsPerRoot: uint32(l.MaxPerRoot), SpawnRatePerMinute: l.RatePerMinute, SpawnBurst: uint32(l.Burst),
		},
	}
	for _, row := range s.ledger.Sessions(ledger.Filter{}) {
		count(row.State, &out.SessionsLive, &out.SessionsEnded)
	}
	for _, row := range s.ledger.Delegations(ledger.Filter{}) {
		count(row.State, &out.DelegationsLive, &out.DelegationsEnded)
	}
	return out, nil
}

func count(s ledger.State, living, ended *uint32) {
	if s.Live() {
		*living++
	} else {
		*ended++
	}
}
