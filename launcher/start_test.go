package launcher_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/layout"
	"rookery/launcher"
	"rookery/launcher/compose"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
)

func containsLine(text, line string) bool {
	return strings.Contains("\n"+text, "\n"+line+"\n")
}

func TestAFailedStartEndsTheProcessAndSaysWhy(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	// Too short for a start on a busy machine, and long enough for one.
	const short, enough, long = 300 * time.Millisecond, 2 * time.Second, 20 * time.Second
	for _, test := range []struct {
		name, behave string
		timeout      time.Duration
		says         string
	}{
		{"never speaks", "mute", short, "never spoke within 300ms"},
		{"half a line", "half", enough, `never spoke within 2s, but for an unfinished line: "1|1|unix|"`},
		{"speaks garbage", "garbage", long, `spoke garbage: "hello, world\n"`},
		{"prints its usage and leaves", "usage", long, "exited before the handshake: exit status 64: through the gate"},
		{"6 MB without a line end", "flood", long, `spoke garbage: "` + strings.Repeat("x", 80) + `"`},
		{"closes its output", "silent", long, "closed its output without a word"},
		{"another version", "version", long, `spoke garbage: "1|99|unix|/run/plugin1|grpc\n"`},
		{"a port instead of a socket", "tcp", long, `spoke garbage: "1|1|tcp|127.0.0.1:1|grpc\n"`},
		{"another protocol", "netrpc", long, `spoke garbage: "1|1|unix|/run/plugin1|netrpc\n"`},
		{"exits 9", "exit 9", long, "exited before the handshake: exit status 9: cannot go on"},
		{"panics", "panic", long, "exited before the handshake: exit status 2: panic: on purpose"},
		{"is killed", "killed", long, "exited before the handshake: signal: killed: through the gate"},
		{"never answers", "slow", enough, "gave no first answer within 2s"},
		{"exits when asked", "hello-exit", long, "exited before its first answer: exit status 5: through the gate"},
		{"another protocol number", "hello-version", long, `gave a wrong first answer: "it speaks protocol 7, this build speaks 1"`},
		{"another pid", "hello-pid", long, fmt.Sprintf("gave a wrong first answer: %q", "it says it is pid 1, it is pid PID")},
		{"refuses us", "unfriendly", long, "gave a wrong first answer: "},
		{"an answer without end", "hello-large", long, "gave a wrong first answer: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			spec := spec(t, test.behave)
			spec.StartTimeout = test.timeout
			w := h.exec(t, spec)
			require.NoError(t, w.OpenGate())
			begun := time.Now()
			_, err := w.Connect(context.Background())
			require.Error(t, err)
			says := strings.ReplaceAll(test.says, "PID", fmt.Sprint(w.Identity().PID))
			if strings.HasSuffix(says, ": ") {
				assert.Contains(t, err.Error(), says)
			} else {
				assert.EqualError(t, err, says)
			}
			assert.Less(t, time.Since(begun), test.timeout+3*time.Second)
			select {
			case <-w.Done():
			default:
				assert.Fail(t, "the process is not reaped")
			}
			_, live := h.ByPID(w.Identity().PID)
			assert.False(t, live)
		})
	}
}

func TestAListenerThatIsNotTheWorkerIsRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	prepared, err := h.Prepare(context.Background(), spec(t, "impostor"))
	require.NoError(t, err)
	run := h.state.WorkerRun(prepared.RunHex())
	listener, err := net.Listen("unix", filepath.Join(run, "impostor.sock"))
	require.NoError(t, err)
	defer listener.Close()
	w, err := prepared.Exec(context.Background())
	require.NoError(t, err)
	defer w.Close()
	defer w.CloseDoor()
	require.NoError(t, w.OpenGate())
	_, err = w.Connect(context.Background())
	require.EqualError(t, err, "refused by peer check: another process listens on the worker's socket")
	assert.Equal(t, "signal: killed", ended(t, w).State.String())
}

func TestAStartThatIsGivenUpEndsTheProcess(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, behave := range []string{"mute", "slow"} {
		w := h.exec(t, spec(t, behave))
		require.NoError(t, w.OpenGate())
		logged(t, w, "through the gate")
		ctx, cancel := context.WithCancel(context.Background())
		failed := make(chan error)
		go func() {
			_, err := w.Connect(ctx)
			failed <- err
		}()
		cancel()
		require.ErrorIs(t, <-failed, context.Canceled)
		assert.Equal(t, "signal: killed", ended(t, w).State.String())
	}
}

func TestAMissingProgramIsToldWithoutItsPath(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	program := filepath.Join(h.state.Root, "modules", "worker")
	linkProgram(t, program)
	l, err := launcher.New(launcher.Config{WorkerPath: program, State: h.state})
	require.NoError(t, err)
	defer l.Close()
	prepared, err := l.Prepare(context.Background(), spec(t, ""))
	require.NoError(t, err)
	require.NoError(t, os.Remove(program))
	_, err = prepared.Exec(context.Background())
	require.EqualError(t, err, "cannot run the worker program: no such file or directory")
	assert.Empty(t, entries(t, h.state.RunDir(), "w"), "the run folder stays")
	assert.Empty(t, entries(t, h.state.Root, "sessions"), "the runtime folder stays")
	assert.Len(t, entries(t, h.state.Root, "records/census"), 1, "the crash has a record to be written")
	require.NoError(t, prepared.Discard())

	for _, bad := range []string{"worker", "", filepath.Join(h.state.Root, "nothing"), h.state.Root, filepath.Join(h.state.Root, "rookery.state")} {
		_, err := launcher.New(launcher.Config{WorkerPath: bad, State: h.state})
		require.ErrorContains(t, err, "worker program")
	}
}

func TestAWorkerIsGivenWhatIsListedAndNothingElse(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	stray, err := os.Open("/dev/zero") // ours, and to stay ours
	require.NoError(t, err)
	defer stray.Close()
	given := spec(t, "")
	prepared, err := h.Prepare(context.Background(), given)
	require.NoError(t, err)
	run := h.state.WorkerRun(prepared.RunHex())
	w, err := prepared.Exec(context.Background())
	require.NoError(t, err)
	defer func() {
		require.NoError(t, w.Stop(context.Background(), nil, 0))
		w.CloseDoor()
		w.Close()
	}()
	require.NoError(t, w.OpenGate())
	_, err = w.Connect(context.Background())
	require.NoError(t, err)

	found := findings(t, w)
	assert.Equal(t, w.Identity().PID, found.PID)
	assert.Equal(t, "/", found.Folder)
	assert.Len(t, found.Args, 1)
	assert.Equal(t, compose.WorkerEnv(run), found.Env)
	assert.NotContains(t, strings.Join(found.Env, "\n"), canary)

	records := h.state.Records("census", given.SessionID)
	for number, target := range map[int]string{
		0:                    "/dev/null",
		1:                    "pipe:",
		2:                    filepath.Join(records, "logs/worker.log"),
		plugin.FDGate:        "pipe:",
		plugin.FDDoor:        "socket:",
		plugin.FDWork:        h.state.Work(given.SessionID),
		plugin.FDRuntime:     h.state.Runtime(given.SessionID),
		plugin.FDRecords:     records,
		plugin.FDRun:         run,
		plugin.FDHost:        h.state.HostDir(),
		plugin.FDNative:      "/dev/null",
		plugin.FDGuestStdout: filepath.Join(records, "logs/guest.stdout.log"),
		plugin.FDGuestStderr: filepath.Join(records, "logs/guest.stderr.log"),
	} {
		assert.True(t, strings.HasPrefix(found.Files[number], target), "descriptor %d is %q, not %q", number, found.Files[number], target)
		delete(found.Files, number)
	}
	assert.Empty(t, found.Files, "more descriptors than listed")
}

func TestTheGateHoldsUntilItIsOpened(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.exec(t, spec(t, ""))
	logged(t, w, "at the gate")
	assert.False(t, hasLine(t, w, "through the gate"))
	found, live := h.ByPID(w.Identity().PID)
	require.True(t, live, "a worker is known from its fork on")
	assert.Same(t, w, found)
	require.ErrorIs(t, w.Assign(context.Background(), nil), launcher.ErrNotConnected)

	require.NoError(t, w.OpenGate())
	logged(t, w, "through the gate")
	require.Error(t, w.OpenGate(), "opened twice")
	_, err := w.Connect(context.Background())
	require.NoError(t, err)
}

func TestAWorkerKilledAtTheGateIsReported(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.exec(t, spec(t, ""))
	logged(t, w, "at the gate")
	require.NoError(t, w.Stop(context.Background(), nil, 0))
	assert.Equal(t, "signal: killed", ended(t, w).State.String())
	require.Error(t, w.OpenGate())
	_, err := w.Connect(context.Background())
	require.EqualError(t, err, "exited before the handshake: signal: killed: at the gate")
}

func TestNoStreamOfThePluginLibraryIsOpened(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.run(t, "")
	assign(t, w, "")
	require.NoError(t, w.Stop(context.Background(), &workerv1.EndRequest{}, bound))
	log, err := w.Records().ReadRegular(layout.WorkerLog, 1<<20)
	require.NoError(t, err)
	assert.Equal(t, "at the gate\nthrough the gate\n", string(log))
}
