package main

import (
	"context"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"rookery/capsule/failpoint"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/sandbox"
	"rookery/worker/tasks"
)

// containment is the class this worker achieves: it does not contain itself yet.
const containment = "advisory"

// replyTime is what the answer to an End gets to leave the process.
const replyTime = 20 * time.Millisecond

// service is what the supervisor can ask.
type service struct {
	workerv1.UnimplementedWorkerServiceServer

	ctx     context.Context //nolint:containedctx // of the process: a session outlives the call that gave it
	std     *stdio
	log     zerolog.Logger
	greeted chan struct{} // closed at the first Hello
	exit    chan int      // gets the one exit code

	mu      sync.Mutex // guards what follows
	hello   bool
	ended   bool
	session *tasks.Session
	id      string
}

func newService(ctx context.Context, std *stdio, log zerolog.Logger) *service {
	return &service{ctx: ctx, std: std, log: log, greeted: make(chan struct{}), exit: make(chan int, 1)}
}

// Hello answers what this worker is.
func (s *service) Hello(_ context.Context, r *workerv1.HelloRequest) (*workerv1.HelloResponse, error) {
	if r.GetProtocol() != plugin.Protocol {
		return nil, status.Errorf(codes.FailedPrecondition,
			"the supervisor speaks protocol %d, this worker speaks %d", r.GetProtocol(), plugin.Protocol)
	}
	s.std.spoken()
	s.mu.Lock()
	if !s.hello {
		s.hello = true
		close(s.greeted)
	}
	s.mu.Unlock()
	failpoint.Hit(failpoint.Handshaken)
	return &workerv1.HelloResponse{
		Protocol: plugin.Protocol, Pid: int32(os.Getpid()), Build: build(),
		Containment: containment, EngineKey: sandbox.EngineKey(),
	}, nil
}

// Assign begins the session.
func (s *service) Assign(_ context.Context, r *workerv1.AssignRequest) (*workerv1.AssignResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.GetSession().GetSessionId()
	switch {
	case s.session != nil && s.id == id:
		return &workerv1.AssignResponse{}, nil
	case s.session != nil:
		return nil, status.Errorf(codes.FailedPrecondition, "this worker has session %s", s.id)
	case s.ended:
		return nil, status.Error(codes.FailedPrecondition, "this worker is ending")
	}
	session, err := newSession(r, s.log)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	failpoint.Hit(failpoint.Assigned)
	s.session, s.id = session, id
	// serve waits for it.
	go func() {
		// The answer leaves first: the supervisor has a commit to make of it, which the session's own work need not delay.
		runtime.Gosched()
		s.exit <- session.Run(s.ctx)
	}()
	return &workerv1.AssignResponse{}, nil
}

// End ends the session, or a worker that has none.
func (s *service) End(_ context.Context, r *workerv1.EndRequest) (*workerv1.EndResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		s.session.End(r.GetCause(), r.GetDetail())
	} else if !s.ended {
		time.AfterFunc(replyTime, func() { s.exit <- plugin.ExitEnded })
	}
	s.ended = true
	return &workerv1.EndResponse{}, nil
}

// shutDown is called when go-plugin serves no longer: it never did, or the supervisor
// has shut the connection down, which asks this process to end. It returns the exit code.
func (s *service) shutDown() int {
	s.mu.Lock()
	hello, session := s.hello, s.session
	s.ended = true
	s.mu.Unlock()
	switch {
	case !hello:
		return plugin.ExitNeverServed
	case session == nil:
		return plugin.ExitEnded
	}
	session.End(workerv1.EndCause_END_CAUSE_UNSPECIFIED, "the plugin connection was shut down")
	late := time.NewTimer(shutdownTimeout)
	defer late.Stop()
	select {
	case code := <-s.exit:
		return code
	case <-late.C:
		return plugin.ExitWatchdog
	}
}
