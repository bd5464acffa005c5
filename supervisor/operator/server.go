package operator

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"buf.build/go/protovalidate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"rookery/capsule/peercred"
	"rookery/launcher"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/delegation"
	"rookery/supervisor/ledger"
)

// Host is what GetHost says about this supervisor.
type Host struct {
	Version     string
	StateDir    string
	StartedAt   time.Time
	Limits      delegation.Limits
	Containment string
}

// Server is the operator service.
type Server struct {
	operatorv1.UnimplementedOperatorServiceServer

	tree     *delegation.Tree
	ledger   ledger.Ledger
	launcher *launcher.Launcher
	host     Host
	valid    protovalidate.Validator
	grpc     *grpc.Server
	health   *health.Server
}

// maxMessage bounds a request; the largest is a kill with a reason of 500 bytes.
const maxMessage = 64 << 10

// New returns a server with health and reflection; Serve runs it. The error is protovalidate's: rules in the API that do not compile.
func New(tree *delegation.Tree, l ledger.Ledger, launch *launcher.Launcher, host Host) (*Server, error) {
	valid, err := protovalidate.New(protovalidate.WithMessages(
		&operatorv1.ListSessionsRequest{}, &operatorv1.GetSessionRequest{}, &operatorv1.ListDelegationsRequest{},
		&operatorv1.GetDelegationRequest{}, &operatorv1.KillDelegationRequest{},
	))
	if err != nil {
		return nil, fmt.Errorf("operator API rules: %w", err)
	}
	s := &Server{tree: tree, ledger: l, launcher: launch, host: host, valid: valid, health: health.NewServer()}
	s.grpc = grpc.NewServer(
		grpc.Creds(peercred.Server(s.allowed)),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.UnaryInterceptor(s.check),
	)
	operatorv1.RegisterOperatorServiceServer(s.grpc, s)
	grpc_health_v1.RegisterHealthServer(s.grpc, s.health)
	s.health.SetServingStatus(operatorv1.OperatorService_ServiceDesc.ServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	reflection.Register(s.grpc)
	return s, nil
}

// Serve answers on l until Stop. It returns nil after Stop.
func (s *Server) Serve(l net.Listener) error {
	// A Stop may come before this has begun.
	if err := s.grpc.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("operator service: %w", err)
	}
	return nil
}

// Stop waits up to grace for calls to be answered, then ends them.
func (s *Server) Stop(grace time.Duration) {
	s.health.Shutdown()
	done := make(chan struct{})
	go func() { s.grpc.GracefulStop(); close(done) }()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		s.grpc.Stop()
		<-done
	}
}

// allowed is the check at connect.
func (s *Server) allowed(pid int, uid uint32) error {
	if own := os.Geteuid(); uid != 0 && int(uid) != own {
		return fmt.Errorf("uid %d is not an operator here: the supervisor runs as uid %d", uid, own)
	}
	if _, ok := s.launcher.ByPID(pid); ok {
		return fmt.Errorf("process %d is a worker of this supervisor", pid)
	}
	return nil
}
