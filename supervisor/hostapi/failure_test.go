package hostapi

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/supervisor/delegation"
)

func TestARefusalCarriesItsCodeAndItsLimit(t *testing.T) {
	t.Parallel()
	s := &Server{log: zerolog.Nop()}
	for code, want := range map[string]codes.Code{
		delegation.CodeNotGranted: codes.PermissionDenied, delegation.CodeEnvelope: codes.PermissionDenied,
		delegation.CodeUnknownCapsule: codes.NotFound, delegation.CodeUnknownVersion: codes.NotFound, delegation.CodeNotFound: codes.NotFound,
		delegation.CodeDepth: codes.ResourceExhausted, delegation.CodeChildren: codes.ResourceExhausted, delegation.CodeHost: codes.ResourceExhausted,
		delegation.CodeTotal: codes.ResourceExhausted, delegation.CodeRate: codes.ResourceExhausted,
		delegation.CodeShuttingDown: codes.FailedPrecondition, delegation.CodeBadRequest: codes.InvalidArgument,
	} {
		st := status.Convert(s.failure(fmt.Errorf("wrapped: %w", &delegation.Refusal{Code: code, Message: "why", Limit: 4, Value: 5, RetryAfter: time.Second})))
		require.Equal(t, want, st.Code(), code)
		require.Equal(t, "why", st.Message())
		require.Len(t, st.Details(), 1)
		detail, ok := st.Details()[0].(*hostv1.Refusal)
		require.True(t, ok)
		require.Equal(t, code, detail.GetCode())
		require.EqualValues(t, 4, detail.GetLimit())
		require.EqualValues(t, 5, detail.GetValue())
		require.EqualValues(t, 1000, detail.GetRetryAfterMs())
	}
}

func TestAFaultOfTheHostTellsTheWorkerNothing(t *testing.T) {
	t.Parallel()
	s := &Server{log: zerolog.Nop()}
	st := status.Convert(s.failure(errors.New("open /secret/path: permission denied")))
	require.Equal(t, codes.Internal, st.Code())
	require.NotContains(t, st.Message(), "secret")
	require.Equal(t, codes.DeadlineExceeded, status.Code(s.failure(fmt.Errorf("x: %w", context.DeadlineExceeded))))
}
