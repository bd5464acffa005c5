package hostlink_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"rookery/capsule/id"
	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/worker/hostlink"
	"rookery/worker/internal/hosttest"
)

// patience bounds every wait of these tests; none needs it.
const patience = 10 * time.Second

func open(t *testing.T, host *hosttest.Host, released func(*hostv1.ReleasedOutcome)) *hostlink.Link {
	t.Helper()
	link, err := hostlink.Open(t.Context(), hostlink.Config{
		Path: host.Path, Log: zerolog.New(zerolog.NewTestWriter(t)), Released: released,
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, link.Close(ctx))
	})
	return link
}

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func soon(t *testing.T, what func() bool) {
	t.Helper()
	require.Eventually(t, what, patience, time.Millisecond)
}

// await waits for the link's outcomes to number n.
func await(t *testing.T, link *hostlink.Link, n int) []*hostv1.ReleasedOutcome {
	t.Helper()
	ctx := bounded(t)
	for {
		changed := link.Outcomes().Changed()
		if all := link.Outcomes().After(0); len(all) >= n {
			return all
		}
		select {
		case <-ctx.Done():
			require.FailNow(t, "outcomes missing")
		case <-changed:
		}
	}
}

func outcome(n int) *hostv1.Outcome {
	return &hostv1.Outcome{DelegationId: fmt.Sprintf("dlg_%d", n), Status: "ok"}
}

func ids(released []*hostv1.ReleasedOutcome) []string {
	var all []string
	for _, r := range released {
		all = append(all, r.GetOutcome().GetDelegationId())
	}
	return all
}

func TestOutcomesArriveOnceInOrderAndAreAcknowledgedAlsoOverASupervisorsDeath(t *testing.T) {
	t.Parallel()
	host := hosttest.Start(t, hosttest.Answers{})
	host.Release("tsk_1", outcome(1))
	var mu sync.Mutex
	var told []string
	link := open(t, host, func(r *hostv1.ReleasedOutcome) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, r.GetOutcome().GetDelegationId())
	})
	await(t, link, 1)
	host.Release("tsk_1", outcome(2))
	await(t, link, 2)
	host.Stop()
	soon(t, func() bool { return !link.Attached() })
	host.Release("tsk_1", outcome(3))
	host.Start()
	all := await(t, link, 3)
	assert.Equal(t, []string{"dlg_1", "dlg_2", "dlg_3"}, ids(all))
	assert.Equal(t, []string{"dlg_3"}, ids(link.Outcomes().After(2)))
	for _, key := range ids(all) {
		soon(t, func() bool { return slices.Contains(host.Calls().Acknowledged, key) })
	}
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []string{"dlg_1", "dlg_2", "dlg_3"}, told)
}

func TestAnAcknowledgementThatFailsIsRepeated(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	failures := 2
	host := hosttest.Start(t, hosttest.Answers{Acknowledge: func([]string) error {
		mu.Lock()
		defer mu.Unlock()
		if failures--; failures >= 0 {
			return status.Error(codes.Internal, "not now")
		}
		return nil
	}})
	host.Release("tsk_1", outcome(1))
	open(t, host, nil)
	soon(t, func() bool { return len(host.Calls().Acknowledged) == 1 })
}

func TestClosingALinkSaysFirstWhatHasArrived(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	host := hosttest.Start(t, hosttest.Answers{Acknowledge: func([]string) error { <-gate; return nil }})
	link, err := hostlink.Open(t.Context(), hostlink.Config{Path: host.Path, Log: zerolog.Nop()})
	require.NoError(t, err)
	host.Release("tsk_1", outcome(1))
	await(t, link, 1)
	closed := make(chan error)
	go func() { closed <- link.Close(bounded(t)) }()
	close(gate)
	require.NoError(t, <-closed)
	assert.Equal(t, []string{"dlg_1"}, host.Calls().Acknowledged)
}

func TestADelegationSurvivesTheSupervisorThatWasAsked(t *testing.T) {
	t.Parallel()
	asked, once := make(chan struct{}), sync.Once{}
	want := &hostv1.DelegateResponse{DelegationId: id.Delegation.New()}
	host := hosttest.Start(t, hosttest.Answers{
		Delegate: func(ctx context.Context, _ *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
			first := false
			once.Do(func() { first = true })
			if first {
				close(asked)
				<-ctx.Done() // this supervisor dies before it answers
				return nil, ctx.Err()
			}
			return want, nil
		},
	})
	link := open(t, host, nil)
	answer := make(chan *hostv1.DelegateResponse)
	go func() {
		got, err := link.Delegate(bounded(t), &hostv1.DelegateRequest{RequestId: "req_1"})
		assert.NoError(t, err)
		answer <- got
	}()
	<-asked
	host.Stop()
	host.Start()
	assert.Equal(t, want.GetDelegationId(), (<-answer).GetDelegationId())
	requests := host.Calls().Delegate
	require.Len(t, requests, 2)
	assert.Equal(t, "req_1", requests[0].GetRequestId())
	assert.Equal(t, "req_1", requests[1].GetRequestId())
}

func TestADelegationWaitsForASupervisorNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	link := open(t, hosttest.New(t, hosttest.Answers{}), nil)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := link.Delegate(ctx, &hostv1.DelegateRequest{})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestARefusalIsToldWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code codes.Code
		want hostlink.RefusedError
	}{
		"a limit": {codes.ResourceExhausted, hostlink.RefusedError{
			Code: "children_limit", Message: "4 children live, the limit is 4", Limit: 4, Value: 4,
		}},
		"a rate": {codes.ResourceExhausted, hostlink.RefusedError{
			Code: "rate_limit", Message: "too fast", Limit: 120, Value: 121, RetryAfter: 500 * time.Millisecond,
		}},
		"a shutdown, which is no absence": {codes.Unavailable, hostlink.RefusedError{Code: "shutting_down", Message: "shutting down"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := hosttest.Start(t, hosttest.Answers{
				Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
					return nil, hosttest.Refuse(c.code, c.want.Message, &hostv1.Refusal{
						Code: c.want.Code, Limit: c.want.Limit, Value: c.want.Value, RetryAfterMs: c.want.RetryAfter.Milliseconds(),
					})
				},
			})
			_, err := open(t, host, nil).Delegate(bounded(t), &hostv1.DelegateRequest{})
			var refused *hostlink.RefusedError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, c.want, *refused)
			assert.Len(t, host.Calls().Delegate, 1)
		})
	}
}

func TestACallBeyondTheWorkersShareIsRepeated(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	host := hosttest.Start(t, hosttest.Answers{
		Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
			if asked.Add(1) == 1 {
				return nil, status.Error(codes.ResourceExhausted, "more than 200 calls a second")
			}
			return &hostv1.DelegateResponse{DelegationId: "dlg_1"}, nil
		},
	})
	response, err := open(t, host, nil).Delegate(bounded(t), &hostv1.DelegateRequest{RequestId: "req_1"})
	require.NoError(t, err)
	assert.Equal(t, "dlg_1", response.GetDelegationId())
	assert.Equal(t, int32(2), asked.Load())
}

func TestAnErrorThatRepeatingDoesNotMendIsReturned(t *testing.T) {
	t.Parallel()
	host := hosttest.Start(t, hosttest.Answers{
		Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
			return nil, status.Error(codes.Internal, "broken")
		},
	})
	_, err := open(t, host, nil).Delegate(bounded(t), &hostv1.DelegateRequest{})
	assert.ErrorContains(t, err, "broken")
	assert.Len(t, host.Calls().Delegate, 1)
}

func TestResolvingACompletionDoesNotWaitForASupervisor(t *testing.T) {
	t.Parallel()
	host := hosttest.New(t, hosttest.Answers{Resolve: func(id string) (hostv1.CompletionVerdict, error) {
		switch id {
		case "dlg_ours":
			return hostv1.CompletionVerdict_COMPLETION_VERDICT_RECORDED, nil
		case "dlg_broken":
			return 0, status.Error(codes.Internal, "broken")
		}
		return hostv1.CompletionVerdict_COMPLETION_VERDICT_NOT_AWAITED, nil
	}})
	link := open(t, host, nil)
	_, err := link.ResolveCompletion(bounded(t), "dlg_ours")
	require.ErrorIs(t, err, hostlink.ErrNoSupervisor)
	require.ErrorIs(t, link.EndTask(bounded(t), "tsk_1"), hostlink.ErrNoSupervisor)

	host.Start()
	soon(t, link.Attached)
	recorded, err := link.ResolveCompletion(bounded(t), "dlg_ours")
	require.NoError(t, err)
	assert.True(t, recorded)
	recorded, err = link.ResolveCompletion(bounded(t), "dlg_other")
	require.NoError(t, err)
	assert.False(t, recorded)
	_, err = link.ResolveCompletion(bounded(t), "dlg_broken")
	require.Error(t, err)
	assert.NotErrorIs(t, err, hostlink.ErrNoSupervisor)
	require.NoError(t, link.EndTask(bounded(t), "tsk_1"))
	assert.Equal(t, []string{"tsk_1"}, host.Calls().EndTask)
}

func TestAWorkerIsOrphanedOnlyWhenItsSupervisorStaysAway(t *testing.T) {
	t.Parallel()
	host := hosttest.Start(t, hosttest.Answers{})
	link := open(t, host, nil)
	soon(t, link.Attached)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, link.AwaitOrphaned(ctx, time.Nanosecond), context.DeadlineExceeded)

	orphaned := make(chan error, 1)
	go func() { orphaned <- link.AwaitOrphaned(bounded(t), 50*time.Millisecond) }()
	host.Stop()
	select {
	case err := <-orphaned:
		require.NoError(t, err)
	case <-time.After(patience):
		require.FailNow(t, "not orphaned")
	}
	host.Start()
	soon(t, link.Attached)
}

func TestTheListenerOfASocketIsNamedByTheKernel(t *testing.T) {
	t.Parallel()
	host := hosttest.Start(t, hosttest.Answers{})
	pid, err := hostlink.Listener(t.Context(), host.Path)
	require.NoError(t, err)
	assert.Equal(t, os.Getpid(), pid)
	host.Stop()
	_, err = hostlink.Listener(t.Context(), host.Path)
	assert.Error(t, err)
}

func TestAContextThatEndsIsNotTakenForAnAnswer(t *testing.T) {
	t.Parallel()
	host := hosttest.Start(t, hosttest.Answers{End: func(ctx context.Context, _ string) (*hostv1.Outcome, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := open(t, host, nil).EndDelegation(ctx, "dlg_1")
	assert.ErrorIs(t, err, context.DeadlineExceeded)
	var refused *hostlink.RefusedError
	assert.NotErrorAs(t, err, &refused)
}
