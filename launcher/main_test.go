package launcher_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/require"

	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/launcher"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
)

// bound is the longest that any wait of these tests may take.
const bound = 15 * time.Second

// canary is the value of every variable that must not be found in a worker.
const canary = "canary-7f3a"

func TestMain(m *testing.M) {
	switch cookie := os.Getenv(plugin.Handshake.MagicCookieKey); {
	case cookie == "member":
		stay()
	case cookie == plugin.Handshake.MagicCookieValue && len(os.Args) > 1:
		fakeTool(os.Args[1:])
	case cookie == plugin.Handshake.MagicCookieValue:
		fakeWorker()
	case os.Getenv(doomedState) != "":
		doomedSupervisor()
	}
	// As the supervisor's main does: whoever runs the tests may have left descriptors open.
	if err := launcher.CloseOnExecAll(); err != nil {
		panic(err)
	}
	for _, name := range []string{"RK_CANARY", "MURMUR_SPAWNER", "MURMUR_SESSION_ID", "AWS_SECRET_ACCESS_KEY", "PLUGIN_CLIENT_CERT",
		"PLUGIN_MULTIPLEX_GRPC", "LD_LIBRARY_PATH", "TMPDIR_CANARY"} {
		if err := os.Setenv(name, canary); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// host is a launcher on a state folder of its own.
type host struct {
	*launcher.Launcher
	state layout.State
}

func newHost(t testing.TB) host {
	t.Helper()
	root, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(root)) })
	state, err := layout.Create(filepath.Join(root, "s"))
	require.NoError(t, err)
	return host{Launcher: newLauncher(t, state), state: state}
}

func newLauncher(t testing.TB, state layout.State) *launcher.Launcher {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	l, err := launcher.New(launcher.Config{WorkerPath: program, State: state, Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.WarnLevel)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

// linkProgram puts this test program at a path. A copy could be found busy: while another test forks, its descriptor for writing
// is open in two processes.
func linkProgram(t testing.TB, path string) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(program, path))
}

// spec is a session whose worker behaves as told.
func spec(t testing.TB, behave string) launcher.Spec {
	t.Helper()
	native, err := os.Open("/dev/null")
	require.NoError(t, err)
	t.Cleanup(func() { native.Close() })
	return launcher.Spec{
		SessionID: id.Session.New(),
		Capsule:   "census",
		Native:    native,
		Files:     map[string][]byte{behaveFile: []byte(behave)},
	}
}

// exec starts a worker behind its gate.
func (h host) exec(t testing.TB, spec launcher.Spec) *launcher.Worker {
	t.Helper()
	prepared, err := h.Prepare(context.Background(), spec)
	require.NoError(t, err)
	w, err := prepared.Exec(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, w.Stop(context.Background(), nil, 0))
		w.CloseDoor()
		w.Close()
	})
	return w
}

// run starts a worker and brings it to its first answer.
func (h host) run(t testing.TB, behave string) *launcher.Worker {
	t.Helper()
	w := h.exec(t, spec(t, behave))
	require.NoError(t, w.OpenGate())
	hello, err := w.Connect(context.Background())
	require.NoError(t, err)
	require.Equal(t, int32(w.Identity().PID), hello.GetPid())
	return w
}

// assign gives the worker orders in place of a task.
func assign(t testing.TB, w *launcher.Worker, orders string) {
	t.Helper()
	require.NoError(t, w.Assign(context.Background(), &workerv1.AssignRequest{Task: &workerv1.Task{Text: orders}}))
}

// last gives the worker orders that end it, before or after it has answered.
func last(t testing.TB, w *launcher.Worker, orders string) launcher.Exit {
	t.Helper()
	_ = w.Assign(context.Background(), &workerv1.AssignRequest{Task: &workerv1.Task{Text: orders}})
	return ended(t, w)
}

// ended waits for the end of a worker.
func ended(t testing.TB, w *launcher.Worker) launcher.Exit {
	t.Helper()
	select {
	case <-w.Done():
	case <-time.After(bound):
		require.Fail(t, "the worker has not ended", "pid %d", w.Identity().PID)
	}
	return w.Exit()
}

// findings are what the worker reported of itself.
func findings(t testing.TB, w *launcher.Worker) (r report) {
	t.Helper()
	text, err := w.Records().ReadRegular(reportFile, 1<<20)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

// logged waits until the worker's log holds a line.
func logged(t testing.TB, w *launcher.Worker, line string) {
	t.Helper()
	require.Eventually(t, func() bool { return hasLine(t, w, line) }, bound, 2*time.Millisecond, "log line %q", line)
}

func hasLine(t testing.TB, w *launcher.Worker, line string) bool {
	t.Helper()
	text, err := w.Records().ReadRegular(layout.WorkerLog, 1<<20)
	require.NoError(t, err)
	return containsLine(string(text), line)
}
