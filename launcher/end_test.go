package launcher_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/capsule/layout"
	workerv1 "rookery/proto/rookery/worker/v1"
)

func TestAnEndIsToldAsItWas(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, test := range []struct{ name, orders, detail string }{
		{"exit 0", "exit 0", "exit status 0"},
		{"exit 3 after complaining", "complain alas;complain no;exit 3", "exit status 3\nalas\nno"},
		{"SIGKILL", "signal 9", "signal: killed"},
		{"SIGSEGV", "signal 11", "exit status 2: SIGSEGV: segmentation violation"},
		{"SIGABRT", "complain last words;signal 6", "exit status 2: SIGABRT: abort\nlast words"},
		{"a code of ours", "exit 71", "exit status 71: the guest did not stop in time"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := h.run(t, "")
			exit := last(t, w, test.orders)
			assert.Equal(t, test.detail, exit.Detail())
			assert.Positive(t, exit.State.MaxRSS)
			_, live := h.ByPID(w.Identity().PID)
			assert.False(t, live)
		})
	}
}

func TestStopAsksAndThenKills(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	ask := &workerv1.EndRequest{Cause: workerv1.EndCause_END_CAUSE_OPERATOR}
	const grace = 500 * time.Millisecond
	for _, test := range []struct {
		name, behave string
		stopped      bool
		ask          *workerv1.EndRequest
		exit         string
		atLeast      time.Duration
	}{
		{name: "one that obeys", ask: ask, exit: "exit status 69"},
		{name: "one that does not", behave: "stubborn", ask: ask, exit: "signal: killed", atLeast: grace},
		{name: "one that does not even answer", behave: "deaf", ask: ask, exit: "signal: killed", atLeast: grace},
		{name: "one that is stopped", stopped: true, ask: ask, exit: "signal: killed", atLeast: grace},
		{name: "one that is not asked", exit: "signal: killed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := h.run(t, test.behave)
			if test.stopped {
				require.NoError(t, unix.Kill(w.Identity().PID, unix.SIGSTOP))
			}
			begun := time.Now()
			require.NoError(t, w.Stop(context.Background(), test.ask, grace))
			took := time.Since(begun)
			assert.Equal(t, test.exit, ended(t, w).State.String())
			assert.GreaterOrEqual(t, took, test.atLeast)
			assert.Less(t, took, test.atLeast+2*time.Second)
		})
	}
}

func TestTheEndOfTheContextEndsTheGrace(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.run(t, "stubborn")
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	begun := time.Now()
	require.NoError(t, w.Stop(ctx, &workerv1.EndRequest{}, time.Minute))
	assert.Less(t, time.Since(begun), bound)
}

func TestAStopDuringTheStartEndsIt(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.exec(t, spec(t, "mute"))
	require.NoError(t, w.OpenGate())
	failed := make(chan error)
	go func() {
		_, err := w.Connect(context.Background())
		failed <- err
	}()
	logged(t, w, "through the gate")
	require.NoError(t, w.Stop(context.Background(), &workerv1.EndRequest{}, time.Minute))
	require.ErrorContains(t, <-failed, "exited before the handshake: signal: killed")
}

func TestAGroupEndsWithItsWorker(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	given := spec(t, "family")
	given.StartTimeout = 2 * time.Second
	w := h.exec(t, given)
	require.NoError(t, w.OpenGate())
	_, err := w.Connect(context.Background())
	require.EqualError(t, err, "never spoke within 2s")
	assert.True(t, isGone(t, findings(t, w).Member))
}

func TestADescendantOutsideTheGroupDelaysNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.exec(t, spec(t, "holder"))
	require.NoError(t, w.OpenGate())
	begun := time.Now()
	_, err := w.Connect(context.Background())
	require.EqualError(t, err, "exited before the handshake: signal: killed: through the gate")
	assert.Less(t, time.Since(begun), 3*time.Second)
	member := findings(t, w).Member
	assert.NoError(t, unix.Kill(member, unix.SIGKILL), "the launcher does not claim to reach it")
}

func TestAWorkersOwnLogIsEmptiedWhenItGrowsTooLarge(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	w := h.run(t, "log 300") // 300 × 64 KiB
	log := filepath.Join(h.state.Records("census", w.SessionID()), layout.WorkerLog)
	require.Eventually(t, func() bool {
		info, err := os.Stat(log)
		return err == nil && 0 < info.Size() && info.Size() < 1<<20
	}, bound, 50*time.Millisecond)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Regexp(t, `^\[log cut: 196\d{5} bytes dropped, a worker may write 16777216\]\n`, string(text))
	assert.Equal(t, "exit status 2: SIGABRT: abort", last(t, w, "signal 6").Detail(), "later lines are kept")
}

// isGone waits for the end of a process that is not ours.
func isGone(t *testing.T, pid int) bool {
	t.Helper()
	pidfd, err := unix.PidfdOpen(pid, 0)
	if err == unix.ESRCH {
		return true
	}
	require.NoError(t, err)
	defer unix.Close(pidfd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(bound.Milliseconds()))
		if err != syscall.EINTR {
			return err == nil && n == 1
		}
	}
}

// entries are the names in a folder.
func entries(t testing.TB, root, folder string) []string {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(root, folder))
	require.NoError(t, err)
	names := make([]string, len(found))
	for i, entry := range found {
		names[i] = entry.Name()
	}
	return names
}
