package operator

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"buf.build/go/protovalidate"
	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/reflection"

	"rookery/launcher"
	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/catalog"
	"rookery/supervisor/delegation"
	"rookery/supervisor/events"
	"rookery/supervisor/ledger"
	"rookery/supervisor/retention"
	"rookery/supervisor/roots"
)

// Host is what GetHost says about this supervisor.
type Host struct {
	Version     string
	StateDir    string
	StartedAt   time.Time
	Limits      delegation.Limits
	Containment string
	// Checks are what the machine was found to enforce at the start.
	Checks []*operatorv1.Check
}

// Config is what a Server stands on. All of it is required but TLS and Log.
type Config struct {
	Tree     *delegation.Tree
	Ledger   ledger.Ledger
	Launcher *launcher.Launcher
	Catalog  *catalog.Catalog
	Events   *events.Ring
	Roots    *roots.Set
	// Prune removes what is not kept any more, or says what that is.
	Prune func(ctx context.Context, dry bool) (retention.Report, error)
	Host  Host
	// TLS is how TCP connections are secured; nil refuses them.
	TLS *tls.Config
	Log zerolog.Logger
}

// Server is the operator service.
type Server struct {
	operatorv1.UnimplementedOperatorServiceServer

	tree     *delegation.Tree
	ledger   ledger.Ledger
	launcher *launcher.Launcher
	catalog  *catalog.Catalog
	events   *events.Ring
	roots    *roots.Set
	prune    func(ctx context.Context, dry bool) (retention.Report, error)
	host     Host
	valid    protovalidate.Validator
	grpc     *grpc.Server
	health   *health.Server
	log      zerolog.Logger
	// launching is held while a root gets its id.
	launching sync.Mutex
	// stopping is closed when streams are to end.
	stopping chan struct{}
	stopped  sync.Once
}

const (
	// maxMessage bounds a request; the largest is a launch with a task of 1 MiB.
	maxMessage = delegation.MaxTaskBytes + 64<<10
	// handshakeTimeout bounds what a caller does before its first call.
	handshakeTimeout = 10 * time.Second
	// maxStreams bounds one connection's calls at once.
	maxStreams = 128
)

// New returns a server with health and reflection; Serve runs it. The error is protovalidate's: rules in the API that do not compile.
func New(c Config) (*Server, error) {
	valid, err := protovalidate.New(protovalidate.WithMessages(
		&operatorv1.ListSessionsRequest{}, &operatorv1.GetSessionRequest{}, &operatorv1.ListDelegationsRequest{},
		&operatorv1.GetDelegationRequest{}, &operatorv1.KillDelegationRequest{}, &operatorv1.StopSessionRequest{},
		&operatorv1.LaunchCapsuleRequest{}, &operatorv1.WatchEventsRequest{}, &operatorv1.TailLogsRequest{},
		&operatorv1.PruneRequest{},
	))
	if err != nil {
		return nil, fmt.Errorf("operator API rules: %w", err)
	}
	s := &Server{
		tree: c.Tree, ledger: c.Ledger, launcher: c.Launcher, catalog: c.Catalog, events: c.Events, roots: c.Roots, prune: c.Prune, host: c.Host, valid: valid,
		health: health.NewServer(), log: c.Log, stopping: make(chan struct{}),
	}
	s.grpc = grpc.NewServer(
		grpc.Creds(s.access(c.TLS)),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxConcurrentStreams(maxStreams),
		grpc.ConnectionTimeout(handshakeTimeout),
		grpc.UnaryInterceptor(s.check),
		grpc.StreamInterceptor(s.checkStream),
	)
	operatorv1.RegisterOperatorServiceServer(s.grpc, s)
	grpc_health_v1.RegisterHealthServer(s.grpc, s.health)
	s.health.SetServingStatus(operatorv1.OperatorService_ServiceDesc.ServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	reflection.Register(s.grpc)
	return s, nil
}

// Serve answers on l until Stop: a unix socket's callers are known by the kernel, all others by their certificates. It may be called
// for several listeners, and returns nil after Stop.
func (s *Server) Serve(l net.Listener) error {
	// A Stop may come before this has begun.
	if err := s.grpc.Serve(l); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("operator service: %w", err)
	}
	return nil
}

// Stop ends the streams, waits up to grace for calls to be answered, then ends them.
func (s *Server) Stop(grace time.Duration) {
	s.stopped.Do(func() { close(s.stopping) })
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
