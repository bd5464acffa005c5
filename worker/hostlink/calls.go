package hostlink

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hostv1 "rookery/proto/rookery/host/v1"
)

// repeat makes a call until it is answered or ctx ends. The call must be one that
// the supervisor recognises when it comes again. The error is a *RefusedError, the
// context's, or one that repeating does not mend.
func repeat[Q, A any](
	ctx context.Context, request Q, call func(context.Context, Q, ...grpc.CallOption) (A, error),
) (A, error) {
	var none A
	var between pause
	for {
		answer, err := call(ctx, request, grpc.WaitForReady(true))
		if err == nil {
			return answer, nil
		}
		if r := refused(err); r != nil {
			return none, r
		}
		if ctx.Err() != nil {
			return none, fmt.Errorf("host call: %w", ctx.Err())
		}
		if _, bounded := ctx.Deadline(); bounded && status.Code(err) == codes.DeadlineExceeded {
			// The supervisor counts the same time, and may have come to its end first.
			return none, fmt.Errorf("host call: %w: %w", context.DeadlineExceeded, err)
		}
		// Exhausted without a refusal is this worker's share of calls: it grows again.
		if !unanswered(err) && status.Code(err) != codes.ResourceExhausted {
			return none, fmt.Errorf("host call: %w", err)
		}
		if err := between.wait(ctx); err != nil {
			return none, fmt.Errorf("host call: %w", err)
		}
	}
}

// Delegate starts a child, or finds the one that the same request id started. It
// waits for a supervisor as long as ctx does. Refusals are *RefusedError.
func (l *Link) Delegate(ctx context.Context, request *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
	return repeat(ctx, request, l.client.Delegate)
}

// EndDelegation ends a child of this session and returns its outcome. It waits for
// a supervisor as long as ctx does. Refusals are *RefusedError.
func (l *Link) EndDelegation(ctx context.Context, delegationID string) (*hostv1.Outcome, error) {
	request := &hostv1.EndDelegationRequest{DelegationId: delegationID}
	response, err := repeat(ctx, request, l.client.EndDelegation)
	if err != nil {
		return nil, err
	}
	return response.GetOutcome(), nil
}

// EndTask ends the children that a task left running and returns when they are
// gone. It does not wait for a supervisor: without one it returns ErrNoSupervisor.
// There is nobody who could end them, and the next supervisor will.
func (l *Link) EndTask(ctx context.Context, taskID string) error {
	_, err := l.client.EndTask(ctx, &hostv1.EndTaskRequest{TaskId: taskID})
	return now("end the task's children", err)
}

// ResolveCompletion asks whether a completion that rang at the door is of a
// delegation of this session whose end is known. It does not wait for a
// supervisor: without one it returns ErrNoSupervisor.
func (l *Link) ResolveCompletion(ctx context.Context, delegationID string) (bool, error) {
	request := &hostv1.ResolveCompletionRequest{DelegationId: delegationID}
	response, err := l.client.ResolveCompletion(ctx, request)
	if err := now("resolve a completion", err); err != nil {
		return false, err
	}
	return response.GetVerdict() == hostv1.CompletionVerdict_COMPLETION_VERDICT_RECORDED, nil
}

// now words the error of a call that was made once.
func now(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case unanswered(err):
		return fmt.Errorf("%s: %w: %w", what, ErrNoSupervisor, err)
	default:
		return fmt.Errorf("%s: %w", what, err)
	}
}
