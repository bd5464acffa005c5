package hostapi

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"rookery/capsule/peercred"
	"rookery/launcher"
	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/supervisor/delegation"
	"rookery/supervisor/ledger"
)

// maxMessage bounds one message: a guest's request of at most 1 MiB, a task of as much that it reads from a file, and what the worker adds.
const maxMessage = 2*delegation.MaxTaskBytes + 64<<10

// Server is the Host service.
type Server struct {
	hostv1.UnimplementedHostServiceServer

	tree     *delegation.Tree
	ledger   ledger.Ledger
	launcher *launcher.Launcher
	shares   *shares
	log      zerolog.Logger
	grpc     *grpc.Server
}

// New returns a server; Serve runs it.
func New(tree *delegation.Tree, l ledger.Ledger, launch *launcher.Launcher, log zerolog.Logger) *Server {
	s := &Server{tree: tree, ledger: l, launcher: launch, shares: newShares(), log: log}
	s.grpc = grpc.NewServer(
		grpc.Creds(newConnections(peercred.Server(s.knows))),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(maxAtOnce),
		grpc.WaitForHandlers(true), // they use the ledger, which is closed after them
		grpc.UnaryInterceptor(s.unary),
		grpc.StreamInterceptor(s.stream),
	)
	hostv1.RegisterHostServiceServer(s.grpc, s)
	return s
}

// Serve answers on l until Stop. It returns nil after Stop.
func (s *Server) Serve(l net.Listener) error {
	// A Stop may come before this has begun.
	if err := s.grpc.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("host service: %w", err)
	}
	return nil
}

// Stop ends every call and every stream.
func (s *Server) Stop() { s.grpc.Stop() }

// knows is the check at connect: only a live worker of ours.
func (s *Server) knows(pid int, _ uint32) error {
	if _, ok := s.launcher.ByPID(pid); !ok {
		return fmt.Errorf("process %d is not a worker of this supervisor", pid)
	}
	return nil
}

// caller is the session that asks, found anew for each call: a worker that has died since it connected has no session.
func (s *Server) caller(ctx context.Context) (*launcher.Worker, error) {
	auth, ok := peercred.FromContext(ctx)
	if !ok {
		return nil, status.Error(codes.Unauthenticated, "the caller's process is not known")
	}
	w, ok := s.launcher.ByPID(auth.PID)
	if !ok {
		return nil, status.Errorf(codes.PermissionDenied, "process %d is not a worker of this supervisor", auth.PID)
	}
	return w, nil
}

type callerKey struct{}

// asking returns the session id that an interceptor put there.
func asking(ctx context.Context) string {
	session, _ := ctx.Value(callerKey{}).(string)
	return session
}
