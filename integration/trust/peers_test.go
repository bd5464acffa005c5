package trust_test

import (
	"context"
	"encoding/json"
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
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"rookery/integration/rig"
	hostv1 "rookery/proto/rookery/host/v1"
)

func TestAWorkerIsRefusedAtTheOperatorSocketAndHeardAtItsOwn(t *testing.T) {
	t.Parallel()
	spy := filepath.Join(rig.Dir(t), "spy")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-X main.worker="+rig.Path("bin/worker"), "-o", spy, "./integration/testdata/spy")
	build.Dir = rig.Path(".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)

	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "silent-ok"}}}, rig.Flags("--worker", spy))
	s := h.RootEnded("silent-ok", rig.Soon)
	raw, err := os.ReadFile(filepath.Join(s.GetRecordsDir(), "spy.json"))
	require.NoError(t, err, s.GetDetail())
	var found struct{ Operator, Host string }
	require.NoError(t, json.Unmarshal(raw, &found))
	assert.Contains(t, found.Operator, "Unavailable", "a process that is a worker is no operator, whatever its user")
	assert.Empty(t, found.Host, "a worker is known at host.sock")
	assert.Equal(t, "crashed", s.GetStatus())
	assert.Contains(t, s.GetDetail(), "could not start: ")
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestAProcessThatIsNoWorkerIsRefusedAtTheHostSocket(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	child := h.RunningChild("sleep")
	conn, err := grpc.NewClient("unix:"+h.State.HostSock(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err = hostv1.NewHostServiceClient(conn).ResolveCompletion(ctx, &hostv1.ResolveCompletionRequest{DelegationId: child.GetDelegationId()})
	assert.Equal(t, codes.Unavailable, status.Code(err), "%v", err)
}

func TestAStrangerIsRefusedAtAWorkersOwnSocket(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	h.RunningChild("sleep")
	sockets, err := filepath.Glob(filepath.Join(h.State.WorkerRun(""), "*", "plugin*"))
	require.NoError(t, err)
	require.NotEmpty(t, sockets)
	for _, socket := range sockets {
		conn, err := net.DialTimeout("unix", socket, time.Second)
		require.NoError(t, err)
		require.NoError(t, conn.SetDeadline(time.Now().Add(5*time.Second)))
		_, _ = conn.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"))
		n, err := conn.Read(make([]byte, 1))
		assert.Zero(t, n, "a worker spoke to a stranger")
		assert.Error(t, err)
		assert.False(t, late(err), "the connection is closed, not left hanging")
		conn.Close()
	}
}

// late tells whether an error is that of a deadline.
func late(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

func TestSocketsAndFoldersAreClosedToOthers(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Capsules: []rig.Root{{Name: "long-parent"}}})
	h.RunningChild("sleep")
	for path, want := range map[string]os.FileMode{
		h.State.Root: 0o700, h.State.RunDir(): 0o700, h.State.HostDir(): 0o700, h.State.OperatorSock(): 0o600, h.State.HostSock(): 0o600,
		h.State.WorkerRun(""): 0o700, filepath.Join(h.State.Root, "records"): 0o700,
	} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, want, info.Mode().Perm(), path)
	}
	require.NoError(t, filepath.WalkDir(h.State.Root, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && e.Type() != os.ModeSocket { // a worker's own lies in a closed folder
			assert.Zero(t, info.Mode().Perm()&0o022, "%s may be written by others", path)
		}
		return nil
	}))
}
