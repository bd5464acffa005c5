package plugin

import (
	"context"
	"errors"

	goplugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	workerv1 "rookery/proto/rookery/worker/v1"
)

// Protocol is the version of everything the two programs say to each other. Raise it when either side would misread the other.
const Protocol = 1

// Name is the key of the one plugin a worker serves.
const Name = "worker"

// Handshake is checked by go-plugin before anything else. The cookie is no secret: it tells a worker that was started by hand
// from one that was launched.
var Handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  Protocol,
	MagicCookieKey:   "ROOKERY_WORKER",
	MagicCookieValue: "launched",
}

// ErrServerOnly is returned by Worker.GRPCServer on a Worker without an implementation.
var ErrServerOnly = errors.New("plugin: no worker service to serve")

// Worker serves (in the worker) or reaches (in the launcher) the WorkerService.
type Worker struct {
	goplugin.NetRPCUnsupportedPlugin

	// Service is what the worker serves; nil in the launcher.
	Service workerv1.WorkerServiceServer
}

// GRPCServer registers the service. The broker stays unused: its plugin side serves one stream in its life and could not come
// back after an adoption.
func (w *Worker) GRPCServer(_ *goplugin.GRPCBroker, s *grpc.Server) error {
	if w.Service == nil {
		return ErrServerOnly
	}
	workerv1.RegisterWorkerServiceServer(s, w.Service)
	return nil
}

// GRPCClient returns a workerv1.WorkerServiceClient.
func (w *Worker) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return workerv1.NewWorkerServiceClient(conn), nil
}

// Set is the plugin map of both ends.
func Set(service workerv1.WorkerServiceServer) goplugin.PluginSet {
	return goplugin.PluginSet{Name: &Worker{Service: service}}
}
