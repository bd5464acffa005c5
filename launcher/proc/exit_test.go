package proc_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/launcher/proc"
)

func TestAnExitIsToldAsItWas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, how, says string
		success         bool
	}{
		{name: "exit 0", how: "exit 0", says: "exit status 0", success: true},
		{name: "exit 3", how: "exit 3", says: "exit status 3"},
		{name: "exit 255", how: "exit 255", says: "exit status 255"},
		{name: "a panic", how: "panic", says: "exit status 2"},
		{name: "SIGKILL", how: "signal 9", says: "signal: killed"},
		// The Go runtime catches these, dumps and exits.
		{name: "SIGSEGV", how: "signal 11", says: "exit status 2"},
		{name: "SIGABRT", how: "signal 6", says: "exit status 2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h, _ := start(t, test.how)
			exit := gone(t, h)
			assert.Equal(t, test.says, exit.String())
			assert.Equal(t, test.success, exit.Success())
			assert.Greater(t, exit.MaxRSS, int64(1<<20), "bytes, not kilobytes")
		})
	}
}

func TestAnUnknownExitSaysSo(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "exit status unknown", proc.ExitState{}.String())
	assert.False(t, proc.ExitState{}.Success())
	assert.Equal(t, "signal: segmentation fault (core dumped)",
		proc.ExitState{Known: true, Signal: syscall.SIGSEGV, Core: true}.String())
}

func TestAHandleOfAnEndedProcessReachesNobody(t *testing.T) {
	t.Parallel()
	h, out := start(t, "stay")
	line(t, out)
	assert.False(t, h.Fired())
	_, known := h.Exit()
	assert.False(t, known)
	require.NoError(t, h.Signal(0))

	require.NoError(t, h.Signal(unix.SIGKILL))
	assert.Equal(t, syscall.SIGKILL, gone(t, h).Signal)
	assert.True(t, h.Fired())
	require.ErrorIs(t, h.Signal(unix.SIGKILL), proc.ErrGone)
	require.ErrorIs(t, h.KillGroup(), proc.ErrGone)
	require.ErrorIs(t, h.Limit(unix.RLIMIT_CORE, 0), proc.ErrGone)
	h.Release() // of a child: does nothing, waits for nothing
}

func TestAStoppedProcessCanBeKilled(t *testing.T) {
	t.Parallel()
	h, out := start(t, "stay")
	line(t, out)
	require.NoError(t, h.Signal(unix.SIGSTOP))
	require.NoError(t, h.KillGroup())
	assert.Equal(t, "signal: killed", gone(t, h).String())
}

func TestALimitIsTheKernels(t *testing.T) {
	t.Parallel()
	free, _ := start(t, "allocate 50000000")
	assert.Equal(t, "exit status 0", gone(t, free).String())

	h, out := start(t, "stay")
	line(t, out)
	require.NoError(t, h.Limit(unix.RLIMIT_DATA, 1<<30))
	var now unix.Rlimit
	require.NoError(t, unix.Prlimit(h.Identity().PID, unix.RLIMIT_DATA, nil, &now))
	assert.Equal(t, unix.Rlimit{Cur: 1 << 30, Max: 1 << 30}, now)
}
