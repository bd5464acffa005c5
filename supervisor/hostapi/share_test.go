package hostapi

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestAWorkerThatAsksTooFastIsRefusedAndAnotherIsNot(t *testing.T) {
	t.Parallel()
	s, now := newShares(), time.Now()
	for range callBurst {
		leave, err := s.enter("ses_flood", now)
		require.NoError(t, err)
		leave()
	}
	_, err := s.enter("ses_flood", now)
	require.Equal(t, codes.ResourceExhausted, status.Code(err))

	leave, err := s.enter("ses_calm", now)
	require.NoError(t, err)
	leave()

	leave, err = s.enter("ses_flood", now.Add(time.Second/callsPerSecond+time.Millisecond))
	require.NoError(t, err, "its share comes back at its rate")
	leave()
}

func TestAWorkerHasABoundOnCallsAtOnce(t *testing.T) {
	t.Parallel()
	s, now := newShares(), time.Now()
	var leaves []func()
	for range maxAtOnce {
		leave, err := s.enter("ses_1", now)
		require.NoError(t, err)
		leaves = append(leaves, leave)
	}
	_, err := s.enter("ses_1", now)
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
	leaves[0]()
	leave, err := s.enter("ses_1", now)
	require.NoError(t, err)
	leaves[0] = leave
	for _, leave := range leaves {
		leave()
	}
}

func TestAShareIsForgottenOnlyWhenItIsWhole(t *testing.T) {
	t.Parallel()
	s, now := newShares(), time.Now()
	leave, err := s.enter("ses_1", now)
	require.NoError(t, err)
	leave()

	leave, err = s.enter("ses_2", now)
	require.NoError(t, err)
	require.Contains(t, s.of, "ses_1", "forgotten now, it would be whole again at once")

	leaveToo, err := s.enter("ses_3", now.Add(time.Second))
	require.NoError(t, err)
	require.NotContains(t, s.of, "ses_1")
	require.Contains(t, s.of, "ses_2", "it is in use")
	leave()
	leaveToo()
}

func TestASecondStreamEndsTheFirst(t *testing.T) {
	t.Parallel()
	s := newShares()
	first, done, err := s.open(t.Context(), "ses_1", time.Now())
	require.NoError(t, err)
	defer done()
	second, doneToo, err := s.open(t.Context(), "ses_1", time.Now())
	require.NoError(t, err)
	defer doneToo()
	<-first.Done()
	require.ErrorIs(t, first.Err(), context.Canceled)
	require.NoError(t, second.Err())
}

func TestAWorkerThatTellsWithoutEndIsRefusedAfterItsShare(t *testing.T) {
	t.Parallel()
	s, now := newShares(), time.Now()
	told := 0
	for s.mayTell("ses_1", now) {
		told++
	}
	require.Equal(t, toldPerSecond, told)
	require.True(t, s.mayTell("ses_2", now), "another has its own share")
	require.True(t, s.mayTell("ses_1", now.Add(time.Second)))
	leave, err := s.enter("ses_1", now)
	require.NoError(t, err, "other calls go on")
	leave()
}

func TestAWorkerThatOpensStreamsWithoutEndIsRefusedLikeOneThatCalls(t *testing.T) {
	t.Parallel()
	s, now := newShares(), time.Now()
	for range maxAtOnce { // none is read, so none comes to its end
		_, _, err := s.open(t.Context(), "ses_1", now)
		require.NoError(t, err)
	}
	_, _, err := s.open(t.Context(), "ses_1", now)
	require.Equal(t, codes.ResourceExhausted, status.Code(err))

	for range callBurst {
		_, done, err := s.open(t.Context(), "ses_2", now)
		require.NoError(t, err)
		done()
	}
	_, _, err = s.open(t.Context(), "ses_2", now)
	require.Equal(t, codes.ResourceExhausted, status.Code(err))
}
