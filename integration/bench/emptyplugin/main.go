package main

import (
	"context"
	"os"

	"github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"

	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
)

type service struct {
	workerv1.UnimplementedWorkerServiceServer
}

func (service) Hello(context.Context, *workerv1.HelloRequest) (*workerv1.HelloResponse, error) {
	return &workerv1.HelloResponse{Protocol: plugin.Protocol, Pid: int32(os.Getpid())}, nil
}

func main() {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: plugin.Handshake,
		Plugins:         plugin.Set(service{}),
		Logger:          hclog.NewNullLogger(),
		GRPCServer:      goplugin.DefaultGRPCServer,
	})
}
