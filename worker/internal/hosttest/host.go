package hosttest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"rookery/capsule/id"
	"rookery/capsule/peercred"
	hostv1 "rookery/proto/rookery/host/v1"
)

// Host is the service.
type Host struct {
	hostv1.UnimplementedHostServiceServer

	// Path is where it listens.
	Path string
	tb   testing.TB

	mu        sync.Mutex // guards what follows
	server    *grpc.Server
	done      chan struct{}
	released  []*hostv1.AttachResponse // and told
	releases  uint64
	changed   chan struct{}
	delegated map[string]*hostv1.DelegateResponse // by request id
	calls     Calls
	answers   Answers
}

// Calls is what a host was asked.
type Calls struct {
	Attaches     int
	Delegate     []*hostv1.DelegateRequest
	End          []string
	EndTask      []string
	Acknowledged []string
	Progress     []string // "state: message"
}

// Answers replace the host's own; nil ones are its own.
type Answers struct {
	Delegate func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error)
	Resolve  func(delegationID string) (hostv1.CompletionVerdict, error)
	EndTask  func(ctx context.Context, taskID string) error
	End      func(ctx context.Context, delegationID string) (*hostv1.Outcome, error)
	// Acknowledge fails the call when it returns an error.
	Acknowledge func(ids []string) error
	// Progress is called in place of taking note of a word.
	Progress func(*hostv1.ProgressRequest) error
}

// New returns a host that does not listen yet. It is stopped when the test ends.
func New(tb testing.TB, answers Answers) *Host {
	tb.Helper()
	folder, err := os.MkdirTemp("", "rk")
	require.NoError(tb, err)
	h := &Host{
		Path: filepath.Join(folder, "host.sock"), tb: tb, answers: answers,
		changed: make(chan struct{}), delegated: map[string]*hostv1.DelegateResponse{},
	}
	tb.Cleanup(func() {
		h.Stop()
		require.NoError(tb, os.RemoveAll(folder))
	})
	return h
}

// Start is New and a first Start.
func Start(tb testing.TB, answers Answers) *Host {
	tb.Helper()
	h := New(tb, answers)
	h.Start()
	return h
}

// Start listens, again after a Stop.
func (h *Host) Start() {
	listener, err := net.Listen("unix", h.Path)
	require.NoError(h.tb, err)
	anybody := func(int, uint32) error { return nil }
	server, done := grpc.NewServer(grpc.Creds(peercred.Server(anybody))), make(chan struct{})
	hostv1.RegisterHostServiceServer(server, h)
	h.mu.Lock()
	h.server, h.done = server, done
	h.mu.Unlock()
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
}

// Stop ends the service at once, cutting off open calls, as a death does.
func (h *Host) Stop() {
	h.mu.Lock()
	server, done := h.server, h.done
	h.server = nil
	h.mu.Unlock()
	if server != nil {
		server.Stop()
		<-done
	}
}

// Release releases an outcome as the next in order.
func (h *Host) Release(taskID string, outcome *hostv1.Outcome) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.releases++
	h.send(&hostv1.AttachResponse{Event: &hostv1.AttachResponse_Outcome{Outcome: &hostv1.ReleasedOutcome{
		Seq: h.releases, TaskId: taskID, Outcome: outcome,
	}}})
}

// Tell passes on a child's word.
func (h *Host) Tell(word *hostv1.ChildProgress) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.send(&hostv1.AttachResponse{Event: &hostv1.AttachResponse_Progress{Progress: word}})
}

// send puts an event on the stream. The lock is held.
func (h *Host) send(event *hostv1.AttachResponse) {
	h.released = append(h.released, event)
	close(h.changed)
	h.changed = make(chan struct{})
}

// Calls returns what was asked so far.
func (h *Host) Calls() Calls {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.calls
	c.Delegate = append([]*hostv1.DelegateRequest(nil), c.Delegate...)
	c.End = append([]string(nil), c.End...)
	c.EndTask = append([]string(nil), c.EndTask...)
	c.Acknowledged = append([]string(nil), c.Acknowledged...)
	c.Progress = append([]string(nil), c.Progress...)
	return c
}

// Started is the ids of the delegations the host has started by itself.
func (h *Host) Started() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var ids []string
	for _, response := range h.delegated {
		ids = append(ids, response.GetDelegationId())
	}
	return ids
}

func (h *Host) since(n int) (fresh []*hostv1.AttachResponse, changed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.released[n:], h.changed
}

// Attach sends what was released, that the caller has caught up, and what follows.
func (h *Host) Attach(_ *hostv1.AttachRequest, stream grpc.ServerStreamingServer[hostv1.AttachResponse]) error {
	h.mu.Lock()
	h.calls.Attaches++
	h.mu.Unlock()
	sent, caughtUp := 0, false
	for {
		fresh, changed := h.since(sent)
		for _, event := range fresh {
			if err := stream.Send(event); err != nil {
				return err
			}
		}
		sent += len(fresh)
		if !caughtUp {
			caughtUp = true
			if err := stream.Send(&hostv1.AttachResponse{Event: &hostv1.AttachResponse_CaughtUp{CaughtUp: &hostv1.CaughtUp{}}}); err != nil {
				return err
			}
		}
		select {
		case <-stream.Context().Done():
			return stream.Context().Err()
		case <-changed:
		}
	}
}

// Delegate answers started, with the same ids for the same request id.
func (h *Host) Delegate(ctx context.Context, request *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
	h.mu.Lock()
	h.calls.Delegate = append(h.calls.Delegate, request)
	known := h.delegated[request.GetRequestId()]
	h.mu.Unlock()
	if known != nil {
		return known, nil
	}
	if h.answers.Delegate != nil {
		return h.answers.Delegate(ctx, request)
	}
	response := &hostv1.DelegateResponse{
		DelegationId: id.Delegation.New(), SessionId: id.Session.New(), Url: "http://127.0.0.1:9",
		Capsule: request.GetCapsule(), Version: request.GetVersion(),
	}
	h.mu.Lock()
	h.delegated[request.GetRequestId()] = response
	h.mu.Unlock()
	return response, nil
}

// Acknowledge notes the ids.
func (h *Host) Acknowledge(_ context.Context, request *hostv1.AcknowledgeRequest) (*hostv1.AcknowledgeResponse, error) {
	if h.answers.Acknowledge != nil {
		if err := h.answers.Acknowledge(request.GetDelegationIds()); err != nil {
			return nil, err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls.Acknowledged = append(h.calls.Acknowledged, request.GetDelegationIds()...)
	return &hostv1.AcknowledgeResponse{}, nil
}

// ResolveCompletion says that nothing is awaited.
func (h *Host) ResolveCompletion(
	_ context.Context, request *hostv1.ResolveCompletionRequest,
) (*hostv1.ResolveCompletionResponse, error) {
	verdict := hostv1.CompletionVerdict_COMPLETION_VERDICT_NOT_AWAITED
	if h.answers.Resolve != nil {
		var err error
		if verdict, err = h.answers.Resolve(request.GetDelegationId()); err != nil {
			return nil, err
		}
	}
	return &hostv1.ResolveCompletionResponse{Verdict: verdict}, nil
}

// EndDelegation knows no delegation.
func (h *Host) EndDelegation(ctx context.Context, request *hostv1.EndDelegationRequest) (*hostv1.EndDelegationResponse, error) {
	h.mu.Lock()
	h.calls.End = append(h.calls.End, request.GetDelegationId())
	h.mu.Unlock()
	if h.answers.End == nil {
		return nil, Refuse(codes.NotFound, "no such delegation", &hostv1.Refusal{Code: "not_found"})
	}
	outcome, err := h.answers.End(ctx, request.GetDelegationId())
	if err != nil {
		return nil, err
	}
	return &hostv1.EndDelegationResponse{Outcome: outcome}, nil
}

// EndTask notes the task.
func (h *Host) EndTask(ctx context.Context, request *hostv1.EndTaskRequest) (*hostv1.EndTaskResponse, error) {
	h.mu.Lock()
	h.calls.EndTask = append(h.calls.EndTask, request.GetTaskId())
	h.mu.Unlock()
	if h.answers.EndTask != nil {
		if err := h.answers.EndTask(ctx, request.GetTaskId()); err != nil {
			return nil, err
		}
	}
	return &hostv1.EndTaskResponse{}, nil
}

// Progress notes the word.
func (h *Host) Progress(_ context.Context, request *hostv1.ProgressRequest) (*hostv1.ProgressResponse, error) {
	if h.answers.Progress != nil {
		return &hostv1.ProgressResponse{}, h.answers.Progress(request)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls.Progress = append(h.calls.Progress, request.GetState()+": "+request.GetMessage())
	return &hostv1.ProgressResponse{}, nil
}

// Refuse makes the error of a refused call.
func Refuse(code codes.Code, message string, refusal *hostv1.Refusal) error {
	refused, err := status.New(code, message).WithDetails(refusal)
	if err != nil {
		return fmt.Errorf("attach a refusal: %w", err)
	}
	return refused.Err()
}
