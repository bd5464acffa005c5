package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	goplugin "github.com/hashicorp/go-plugin"
	pluginrunner "github.com/hashicorp/go-plugin/runner"
	"github.com/rs/zerolog"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"rookery/capsule/peercred"
	"rookery/launcher/proc"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
)

const (
	// MaxMessage bounds one message from a worker, in bytes. Its answers are a few short strings.
	MaxMessage = 64 << 10
	// libraryTimeout is go-plugin's own bound on the handshake. Connect's context always comes first; this one must not.
	libraryTimeout = 24 * time.Hour
	// closeTimeout bounds the library's clean-up after the process is gone, which is a matter of milliseconds.
	closeTimeout = 5 * time.Second
)

// ErrNotWorker is wrapped by the refusal of a listener that is not the worker's process.
var ErrNotWorker = errors.New("another process listens on the worker's socket")

// Config describes a process that has been started.
type Config struct {
	// Handle holds the process. The client only waits for it.
	Handle *proc.Handle
	// Stdout is the read end of the process's standard output; the client closes it.
	Stdout *os.File
	// Env is the environment the process was given.
	Env []string
	// Run is the path of the worker's run folder.
	Run string
	// Log gets the library's messages, all of them as debug.
	Log zerolog.Logger
}

// Client is the connection to one worker.
type Client struct {
	plugin  *goplugin.Client
	output  *output
	refused atomic.Bool

	mu   sync.Mutex // held by Connect, so that Close follows it
	conn workerv1.WorkerServiceClient
}

// New prepares the connection. Nothing is read or dialled yet.
func New(config Config) *Client {
	c := &Client{output: newOutput(config.Stdout)}
	process := &process{handle: config.Handle, output: c.output, run: config.Run}
	only := peercred.Client(func(pid int, _ uint32) error {
		if pid != config.Handle.Identity().PID {
			c.refused.Store(true)
			return ErrNotWorker
		}
		return nil
	})
	c.plugin = goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig:  plugin.Handshake,
		Plugins:          plugin.Set(nil),
		AllowedProtocols: []goplugin.Protocol{goplugin.ProtocolGRPC},
		SkipHostEnv:      true,
		StartTimeout:     libraryTimeout,
		Logger:           quiet(config.Log),
		// The library makes a folder of its own in there; attach removes it.
		UnixSocketConfig: &goplugin.UnixSocketConfig{TempDir: config.Run},
		RunnerFunc: func(_ hclog.Logger, cmd *exec.Cmd, folder string) (pluginrunner.Runner, error) {
			return process, attach(cmd.Env, config.Env, folder)
		},
		// These come after the library's own options and so win over them.
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithTransportCredentials(only),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(MaxMessage)),
			grpc.WithStreamInterceptor(noStreams),
		},
	})
	return c
}

// attach takes the place of starting: the process runs already. It fails when the library wants it told something else than
// it was.
func attach(wanted, given []string, folder string) error {
	if err := os.Remove(folder); err != nil {
		return fmt.Errorf("remove the library's folder: %w", err)
	}
	return sameEnv(wanted, given)
}

// noStreams refuses every stream before it is opened. The library would open two: the broker's, which could not come back
// after an adoption and makes a goroutine of each message, and the standard output's, which nobody reads.
func noStreams(_ context.Context, _ *grpc.StreamDesc, _ *grpc.ClientConn, method string, _ grpc.Streamer, _ ...grpc.CallOption) (grpc.ClientStream, error) {
	return nil, status.Error(codes.Unimplemented, method+" is not used")
}

// Connect reads the handshake and returns a client of the worker's service; a repeat answers the same. The connection is made,
// and the listener checked, by the first RPC. On an error the process may live on: the
// caller ends it.
func (c *Client) Connect(ctx context.Context) (workerv1.WorkerServiceClient, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		return c.conn, nil
	}
	type result struct {
		protocol goplugin.ClientProtocol
		err      error
	}
	connected := make(chan result, 1)
	go func() {
		protocol, err := c.plugin.Client()
		connected <- result{protocol, err}
	}()
	var got result
	select {
	case got = <-connected:
	case <-ctx.Done():
		c.output.cut() // the library waits for this output and for nothing else
		<-connected
		return nil, fmt.Errorf("handshake: %w", context.Cause(ctx))
	}
	if got.err != nil {
		return nil, fmt.Errorf("handshake: %w", got.err)
	}
	raw, err := got.protocol.Dispense(plugin.Name)
	if err != nil {
		return nil, fmt.Errorf("handshake: %w", err)
	}
	c.conn = raw.(workerv1.WorkerServiceClient)
	return c.conn, nil
}

// Refused says that something else than the worker was found listening on its socket.
func (c *Client) Refused() bool { return c.refused.Load() }

// Spoken returns the first bytes that the process wrote where the handshake was expected, and whether the process closed its
// output by itself.
func (c *Client) Spoken() (said []byte, ended bool) { return c.output.spoken() }

// Gone is called once the process has ended, so that output which a descendant holds open keeps nobody waiting.
func (c *Client) Gone() { c.output.end() }

// Close ends the connection. The process must be gone. It returns an error when the library does not let go within five
// seconds.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.output.end()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		c.plugin.Kill()
		c.output.close()
	}()
	late := time.NewTimer(closeTimeout)
	defer late.Stop()
	select {
	case <-closed:
		return nil
	case <-late.C:
		return fmt.Errorf("the plugin library has not let go of its worker for %v", closeTimeout)
	}
}
