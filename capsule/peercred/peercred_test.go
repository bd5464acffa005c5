package peercred_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"rookery/capsule/peercred"
)

// bound is the longest that any wait of these tests may take.
const bound = 10 * time.Second

// dialled is the variable that makes the test program connect to a socket and end.
const dialled = "RK_DIAL"

func TestMain(m *testing.M) {
	if socket := os.Getenv(dialled); socket != "" {
		if _, err := net.Dial("unix", socket); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// socket is the path of a socket yet to be made.
func socket(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	return filepath.Join(folder, "s")
}

func listen(t *testing.T, path string) *net.UnixListener {
	t.Helper()
	listener, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	return listener.(*net.UnixListener)
}

func accept(t *testing.T, listener *net.UnixListener) net.Conn {
	t.Helper()
	require.NoError(t, listener.SetDeadline(time.Now().Add(bound)))
	conn, err := listener.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestBothEndsNameTheOther(t *testing.T) {
	t.Parallel()
	path := socket(t)
	listener := listen(t, path)
	client, err := net.Dial("unix", path)
	require.NoError(t, err)
	defer client.Close()
	for _, end := range []net.Conn{client, accept(t, listener)} {
		pid, uid, err := peercred.Of(end)
		require.NoError(t, err)
		assert.Equal(t, os.Getpid(), pid)
		assert.Equal(t, uint32(os.Getuid()), uid)
	}
}

func TestAProcessThatHasEndedIsNobody(t *testing.T) {
	t.Parallel()
	path := socket(t)
	listener := listen(t, path)
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{dialled + "=" + path}
	require.NoError(t, cmd.Run())
	_, _, err := peercred.Of(accept(t, listener))
	require.ErrorIs(t, err, peercred.ErrGone)
}

func TestOtherConnectionsAreRefused(t *testing.T) {
	t.Parallel()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	_, _, err := peercred.Of(a)
	require.ErrorIs(t, err, peercred.ErrNotUnix)

	path := socket(t)
	listen(t, path)
	client, err := net.Dial("unix", path)
	require.NoError(t, err)
	client.Close()
	_, _, err = peercred.Of(client)
	require.ErrorIs(t, err, net.ErrClosed)
}

// ask makes one RPC with the two checks, and returns what the server saw of its caller.
func ask(t *testing.T, server, client peercred.Check) (peercred.AuthInfo, error) {
	t.Helper()
	path := socket(t)
	listener := listen(t, path)
	seen := make(chan peercred.AuthInfo, 1)
	s := grpc.NewServer(grpc.Creds(peercred.Server(server)), grpc.UnaryInterceptor(
		func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
			info, ok := peercred.FromContext(ctx)
			assert.True(t, ok)
			seen <- info
			return handler(ctx, request)
		}))
	grpc_health_v1.RegisterHealthServer(s, health.NewServer())
	served := make(chan struct{})
	go func() { defer close(served); _ = s.Serve(listener) }()
	defer func() { s.Stop(); <-served }()
	conn, err := grpc.NewClient("unix://"+path, grpc.WithTransportCredentials(peercred.Client(client)))
	require.NoError(t, err)
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	if _, err := grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{}); err != nil {
		assert.Empty(t, seen, "a refused caller reached the service")
		return peercred.AuthInfo{}, err
	}
	return <-seen, nil
}

func TestAnRPCHasItsCallersProcess(t *testing.T) {
	t.Parallel()
	fine := func(pid int, uid uint32) error {
		if pid != os.Getpid() || uid != uint32(os.Getuid()) {
			return errors.New("a stranger")
		}
		return nil
	}
	info, err := ask(t, fine, fine)
	require.NoError(t, err)
	assert.Equal(t, os.Getpid(), info.PID)
	assert.Equal(t, uint32(os.Getuid()), info.UID)
	assert.Equal(t, "peercred", info.AuthType())

	_, ok := peercred.FromContext(context.Background())
	assert.False(t, ok)
}

func TestEitherEndMayRefuse(t *testing.T) {
	t.Parallel()
	fine := func(int, uint32) error { return nil }
	refuse := func(int, uint32) error { return errors.New("not welcome") }
	_, err := ask(t, fine, refuse)
	assert.Equal(t, codes.Unavailable, status.Code(err))
	require.ErrorContains(t, err, "not welcome")
	_, err = ask(t, refuse, fine)
	assert.Equal(t, codes.Unavailable, status.Code(err))
	assert.NotContains(t, err.Error(), "not welcome", "the reason is our own side's")
}
