package hostapi

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/supervisor/delegation"
)

// failure turns a refusal into a status with the code of the guest interface. Anything else is for the operator: its text goes to the
// supervisor's log, and the worker learns only that the host could not.
func (s *Server) failure(err error) error {
	var r *delegation.Refusal
	if !errors.As(err, &r) {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return status.FromContextError(err).Err()
		}
		s.log.Error().Err(err).Msg("a worker's request failed")
		return status.Error(codes.Internal, "the host could not do this")
	}
	st, detailErr := status.New(codeOf(r.Code), r.Message).WithDetails(&hostv1.Refusal{
		Code: r.Code, Limit: r.Limit, Value: r.Value, RetryAfterMs: r.RetryAfter.Milliseconds(),
	})
	if detailErr != nil {
		return status.Error(codes.Internal, "the host could not do this")
	}
	return st.Err()
}

func codeOf(code string) codes.Code {
	switch code {
	case delegation.CodeNotGranted, delegation.CodeEnvelope:
		return codes.PermissionDenied
	case delegation.CodeDepth, delegation.CodeChildren, delegation.CodeHost, delegation.CodeTotal, delegation.CodeRate:
		return codes.ResourceExhausted
	case delegation.CodeUnknownCapsule, delegation.CodeUnknownVersion, delegation.CodeNotFound:
		return codes.NotFound
	case delegation.CodeShuttingDown:
		return codes.FailedPrecondition
	default:
		return codes.InvalidArgument
	}
}
