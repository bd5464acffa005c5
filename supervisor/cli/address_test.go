package cli

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

// stateWithSocket is a state folder on whose operator socket somebody listens who never answers.
func stateWithSocket(t *testing.T) (dir, socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "run"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "records"), 0o755))
	socket = filepath.Join(dir, "run", "operator.sock")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	return dir, socket
}

func TestASupervisorThatDoesNotAnswerIsSaidAndExits3(t *testing.T) {
	t.Parallel()
	dir, socket := stateWithSocket(t)
	e, _, _ := env(nil)
	at := &address{env: &e, state: dir}
	err := at.call(t.Context(), 100*time.Millisecond, func(ctx context.Context, op operatorv1.OperatorServiceClient) error {
		_, err := op.GetHost(ctx, &operatorv1.GetHostRequest{})
		return err
	})
	assert.Equal(t, exitNoHost, exitCode(err))
	assert.Contains(t, sentence(err), "the supervisor at "+socket+" does not answer")
	assert.False(t, nobody(err), "its records are not read in its place: it may run")
}

func TestASupervisorThatEndsConnectionsIsNotTakenForNone(t *testing.T) {
	t.Parallel()
	dir, socket := stateWithSocket(t)
	require.NoError(t, os.Remove(socket))
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-done })
	for _, line := range []string{"ps --all", "logs abcd", "events", "prune"} {
		e, out, errs := env(map[string]string{"ROOKERY_STATE": dir})
		assert.Equal(t, exitNoHost, Run(t.Context(), e, strings.Fields(line)), line)
		assert.Contains(t, errs.String(), "the supervisor at "+socket+" does not answer", line)
		assert.NotContains(t, errs.String(), "read from the records", line)
		assert.Empty(t, out.String(), line)
	}
}

// asAnother runs fn as a user to whom permissions apply: root's own are those of nobody while it runs.
func asAnother(t *testing.T, fn func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with its changed rights
		if os.Geteuid() == 0 {
			_ = unix.Setfsuid(65534)
		}
		fn()
	}()
	<-done
}

func TestWhereNobodyMayGoACommandSaysPermissionDeniedAndExits2(t *testing.T) {
	t.Parallel()
	for name, closed := range map[string]string{"the state folder is closed": "", "the socket is closed": "run/operator.sock"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, socket := stateWithSocket(t)
			require.NoError(t, os.Chmod(filepath.Join(dir, closed), 0))
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, closed), 0o700) })
			for _, line := range []string{"ps", "ps --all", "logs abcd", "kill abcd", "prune"} {
				asAnother(t, func() {
					e, _, errs := env(map[string]string{"ROOKERY_STATE": dir})
					assert.Equal(t, exitUsage, Run(t.Context(), e, strings.Fields(line)), line)
					assert.Contains(t, errs.String(), socket+": permission denied", line)
				})
			}
		})
	}
}
