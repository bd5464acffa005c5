package operator

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/ledger"
	"rookery/supervisor/roots"
)

// runRoot runs a root of the fleet again.
func (s *Server) runRoot(ctx context.Context, q *operatorv1.LaunchCapsuleRequest) (*operatorv1.LaunchCapsuleResponse, error) {
	if q.GetCapsule() != "" || q.GetVersion() != "" || q.GetTask() != "" || q.GetWorkdir() != "" {
		return nil, fault(codes.InvalidArgument, "INVALID_REQUEST", "root_id: a root runs as the fleet file says; leave the other fields empty")
	}
	session, err := s.roots.Run(ctx, q.GetRootId())
	switch {
	case errors.Is(err, roots.ErrUnknown):
		return nil, fault(codes.NotFound, "UNKNOWN_ROOT", err.Error())
	case errors.Is(err, roots.ErrRuns):
		return nil, fault(codes.FailedPrecondition, "ROOT_RUNS", err.Error())
	case errors.Is(err, roots.ErrStopping):
		return nil, fault(codes.Aborted, "SHUTTING_DOWN", err.Error())
	case err != nil:
		return nil, failure(err)
	}
	s.log.Info().Str("session", session).Str("root", q.GetRootId()).Str("by", caller(ctx)).Msg("an operator started a root")
	row, _ := s.ledger.Session(session)
	return &operatorv1.LaunchCapsuleResponse{Session: sessionRow(row)}, nil
}

// holdRoot keeps a root of the fleet from running again after a session that is to end.
func (s *Server) holdRoot(ctx context.Context, row ledger.Session) error {
	if row.RootID == "" {
		return nil
	}
	err := s.roots.Hold(ctx, row.RootID, row.ID)
	if errors.Is(err, roots.ErrUnknown) || errors.Is(err, roots.ErrStopping) {
		return nil // launched by an operator, or nothing runs again anyway
	}
	return err
}
