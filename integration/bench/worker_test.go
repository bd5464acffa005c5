package bench

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"

	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/integration/rig"
	"rookery/launcher"
	hostv1 "rookery/proto/rookery/host/v1"
	workerv1 "rookery/proto/rookery/worker/v1"
)

// bare is a launcher without a supervisor around it: no ledger, and nothing behind the host socket but refusals.
type bare struct {
	*launcher.Launcher
	state layout.State
}

func newBare(b *testing.B) bare {
	b.Helper()
	state, err := layout.Create(filepath.Join(rig.Dir(b), "s"))
	require.NoError(b, err)
	l, err := launcher.New(launcher.Config{WorkerPath: rig.Path("bin/worker"), State: state, Log: zerolog.New(zerolog.NewTestWriter(b))})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, l.Close()) })
	// A worker obeys the process that listens here.
	listener, err := net.Listen("unix", state.HostSock())
	require.NoError(b, err)
	server := grpc.NewServer()
	hostv1.RegisterHostServiceServer(server, hostv1.UnimplementedHostServiceServer{})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	b.Cleanup(func() {
		server.Stop()
		<-served
	})
	return bare{l, state}
}

// native is a capsule's native code, made as the supervisor makes it.
func (l bare) native(b *testing.B, capsule string) *os.File {
	b.Helper()
	wasm, err := os.Open(filepath.Join(rig.Path(capsules), capsule, "capsule.wasm"))
	require.NoError(b, err, "./dev build makes it")
	defer wasm.Close()
	out, err := os.Create(filepath.Join(b.TempDir(), capsule))
	require.NoError(b, err)
	require.NoError(b, l.Compile(b.Context(), wasm, out, launcher.CompileLimits{}))
	require.NoError(b, out.Close())
	file, err := os.Open(out.Name())
	require.NoError(b, err)
	b.Cleanup(func() { file.Close() })
	return file
}

// start brings up a worker for a capsule that prints a line first of all and then sleeps. It returns the time from fork until the
// worker has accepted its task, and until the guest's line is in its log.
func (l bare) start(b *testing.B, capsule string, native *os.File) (ready, printed time.Duration) {
	b.Helper()
	ctx := b.Context()
	session := id.Session.New()
	prepared, err := l.Prepare(ctx, launcher.Spec{SessionID: session, Capsule: capsule, Native: native})
	require.NoError(b, err)
	line := watch(b, filepath.Join(prepared.RecordsDir(), layout.GuestStderrLog), unix.IN_MODIFY)

	begun := time.Now()
	w, err := prepared.Exec(ctx)
	require.NoError(b, err)
	defer func() {
		require.NoError(b, w.Stop(ctx, nil, 0))
		w.CloseDoor()
		// Its folders go when all is measured: ext4 takes longer to make a file where others were removed in the last minute.
		b.Cleanup(w.Close)
	}()
	require.NoError(b, w.OpenGate())
	_, err = w.Connect(ctx)
	require.NoError(b, err)
	require.NoError(b, w.Assign(ctx, &workerv1.AssignRequest{
		Session: &workerv1.Session{SessionId: session, Capsule: capsule, Version: "0.1.0", Url: w.URL(), RootSessionId: session},
		Task:    &workerv1.Task{TaskId: id.Task.New(), ContextId: id.Context.New(), MessageId: id.Message.New()},
		Limits: &workerv1.Limits{
			MemoryBytes: 256 << 20, TableElements: 1 << 20, Instances: 1,
			DeadlineMs: bound.Milliseconds(), OrphanTimeoutMs: bound.Milliseconds(),
		},
		Grants: &workerv1.Grants{},
	}))
	ready = time.Since(begun)
	at, err := line.seen("")
	require.NoError(b, err, "the guest has printed nothing")
	return ready, at.Sub(begun)
}
