package hostapi

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"rookery/capsule/outcome"
	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/supervisor/delegation"
	"rookery/supervisor/ledger"
)

// Delegate starts a child of the asking session.
func (s *Server) Delegate(ctx context.Context, q *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
	started, err := s.tree.Delegate(ctx, asking(ctx), delegation.Request{
		ID: q.GetRequestId(), TaskID: q.GetTaskId(), ContextID: q.GetContextId(), Capsule: q.GetCapsule(), Version: q.GetVersion(),
		Task: q.GetTask(), Deadline: time.Duration(q.GetDeadlineMs()) * time.Millisecond, LineageOnly: q.GetLineageOnly(),
	})
	if err != nil {
		return nil, s.failure(err)
	}
	return &hostv1.DelegateResponse{
		DelegationId: started.DelegationID, SessionId: started.SessionID, Url: started.URL, Capsule: started.Capsule, Version: started.Version,
	}, nil
}

// EndDelegation ends a child of the asking session.
func (s *Server) EndDelegation(ctx context.Context, q *hostv1.EndDelegationRequest) (*hostv1.EndDelegationResponse, error) {
	d, err := s.tree.EndDelegation(ctx, asking(ctx), q.GetDelegationId())
	if err != nil {
		return nil, s.failure(err)
	}
	return &hostv1.EndDelegationResponse{Outcome: outcomeOf(d)}, nil
}

// Acknowledge sets the delivered mark of outcomes of the asking session.
func (s *Server) Acknowledge(ctx context.Context, q *hostv1.AcknowledgeRequest) (*hostv1.AcknowledgeResponse, error) {
	if err := s.tree.Delivered(ctx, asking(ctx), q.GetDelegationIds()); err != nil {
		return nil, s.failure(err)
	}
	return &hostv1.AcknowledgeResponse{}, nil
}

// ResolveCompletion says whether a completion that rang the asking session's door is one of its own delegations with a record on
// disk or an outcome that is out.
func (s *Server) ResolveCompletion(ctx context.Context, q *hostv1.ResolveCompletionRequest) (*hostv1.ResolveCompletionResponse, error) {
	verdict := hostv1.CompletionVerdict_COMPLETION_VERDICT_NOT_AWAITED
	if s.tree.Recorded(asking(ctx), q.GetDelegationId()) {
		verdict = hostv1.CompletionVerdict_COMPLETION_VERDICT_RECORDED
	}
	return &hostv1.ResolveCompletionResponse{Verdict: verdict}, nil
}

// EndTask ends what the asking session's ended task left running.
func (s *Server) EndTask(ctx context.Context, q *hostv1.EndTaskRequest) (*hostv1.EndTaskResponse, error) {
	if err := s.tree.EndTask(asking(ctx), q.GetTaskId()); err != nil {
		return nil, s.failure(err)
	}
	return &hostv1.EndTaskResponse{}, nil
}

// Progress tells the session that delegated the asking one how far it is.
func (s *Server) Progress(ctx context.Context, q *hostv1.ProgressRequest) (*hostv1.ProgressResponse, error) {
	if !s.shares.mayTell(asking(ctx), time.Now()) {
		return nil, status.Errorf(codes.ResourceExhausted, "more than %d words of progress a second", toldPerSecond)
	}
	if err := s.tree.Progress(asking(ctx), q.GetState(), q.GetMessage()); err != nil {
		return nil, s.failure(err)
	}
	return &hostv1.ProgressResponse{}, nil
}

// outcomeOf is an ended delegation as the guest interface shows it.
func outcomeOf(d ledger.Delegation) *hostv1.Outcome {
	return &hostv1.Outcome{
		DelegationId: d.ID, Capsule: d.Capsule, Version: d.Version, Status: string(d.Status), DurationMs: d.DurationMS, Detail: d.Detail,
		ResultState: string(d.Answer.State), Result: resultText(d), Truncated: d.Answer.Truncated, Whole: d.Answer.WholePath, Message: d.Message,
	}
}

// resultText is the answer itself: the reason why there is none stands in the message, not in the result.
func resultText(d ledger.Delegation) string {
	if d.Answer.State != outcome.ResultText {
		return ""
	}
	return d.Answer.Text
}
