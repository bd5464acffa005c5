package main

import (
	"context"
	"fmt"
	"os/signal"
	"syscall"
	"time"

	goplugin "github.com/hashicorp/go-plugin"
	"github.com/rs/zerolog"
	"google.golang.org/grpc"

	"rookery/capsule/beneath"
	"rookery/capsule/failpoint"
	"rookery/capsule/peercred"
	"rookery/proto/plugin"
	"rookery/worker/hostlink"
)

const (
	// helloTimeout is how long a worker waits for its supervisor's first word. A
	// supervisor that died between the gate and the handshake leaves it alone.
	helloTimeout = 30 * time.Second
	// shutdownTimeout bounds ending after the plugin connection was shut down.
	shutdownTimeout = 2 * time.Second
)

// hostSock is the supervisor's socket, reached through the inherited folder.
func hostSock() string { return fmt.Sprintf("/proc/self/fd/%d/%s", plugin.FDHost, plugin.HostSock) }

// serve is the worker's life. It returns the exit code.
func serve(ctx context.Context) int {
	failpoint.Hit(failpoint.Forked)
	std, err := takeStdio()
	if err != nil {
		return report(err)
	}
	log := std.logger()
	// When a supervisor dies while a worker is stopped, the kernel hangs up on that worker's group. Workers live on without one.
	signal.Ignore(syscall.SIGHUP)
	warmed := make(chan struct{})
	go func() {
		defer close(warmed)
		warm()
	}()
	defer func() { <-warmed }()
	if !passGate() {
		return plugin.ExitGateClosed
	}
	failpoint.Hit(failpoint.Gated)
	if err := beneath.Supported(); err != nil {
		log.Error().Err(err).Msg("this kernel will not do")
		return plugin.ExitNeverServed
	}
	service := newService(ctx, std, log)
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		goplugin.Serve(&goplugin.ServeConfig{
			HandshakeConfig: plugin.Handshake,
			Plugins:         plugin.Set(service),
			Logger:          std.pluginLogger(),
			GRPCServer:      func(o []grpc.ServerOption) *grpc.Server { return newServer(ctx, log, o) },
		})
	}()
	code := await(service, returned)
	std.log.Flush()
	return code
}

// newServer takes connections only from the supervisor: the process that listens on
// host.sock, whichever that is by now.
func newServer(ctx context.Context, log zerolog.Logger, options []grpc.ServerOption) *grpc.Server {
	supervisor := func(pid int, _ uint32) error {
		listener, err := hostlink.Listener(ctx, hostSock())
		if err != nil {
			return err
		}
		if pid != listener {
			err := fmt.Errorf("not the supervisor, which is pid %d", listener)
			log.Warn().Int("peer", pid).Err(err).Msg("a plugin connection is refused")
			return err
		}
		return nil
	}
	return grpc.NewServer(append(options, grpc.Creds(peercred.Server(supervisor)))...)
}

// await waits for the end of whatever this process is doing.
func await(service *service, returned <-chan struct{}) int {
	hello := time.NewTimer(helloTimeout)
	defer hello.Stop()
	for greeted := service.greeted; ; {
		select {
		case code := <-service.exit:
			return code
		case <-greeted:
			hello.Stop()
			greeted = nil
		case <-hello.C:
			return plugin.ExitNoHello
		case <-returned:
			return service.shutDown()
		}
	}
}
