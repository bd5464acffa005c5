package proc_test

import (
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/launcher/proc"
)

func TestTheGroupEndsWithItsLeader(t *testing.T) {
	t.Parallel()
	h, out := start(t, "family")
	member, err := strconv.Atoi(line(t, out))
	require.NoError(t, err)
	pidfd, err := unix.PidfdOpen(member, 0)
	if errors.Is(err, unix.ESRCH) {
		return // killed and reaped already
	}
	require.NoError(t, err)
	defer unix.Close(pidfd)

	assert.Equal(t, "exit status 0", gone(t, h).String(), "the kill of the group must not change the leader's own exit")
	assert.True(t, ends(pidfd), "pid %d of the group lives on", member)
}

func TestAStartThatFailsSaysWhyAndNotWhere(t *testing.T) {
	t.Parallel()
	_, err := proc.Start(proc.Command{Path: "/nonexistent/worker", Args: []string{"worker"}})
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.NotContains(t, err.Error(), "/nonexistent")
}

func TestAChildHasAGroupOfItsOwnAndRootAsItsFolder(t *testing.T) {
	t.Parallel()
	h, out := start(t, "stay")
	line(t, out)
	pid := h.Identity().PID
	group, err := unix.Getpgid(pid)
	require.NoError(t, err)
	assert.Equal(t, pid, group)
	folder, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
	require.NoError(t, err)
	assert.Equal(t, "/", folder)
}

func TestInheritedDescriptorsAreMarkedCloseOnExec(t *testing.T) {
	t.Parallel()
	stray, err := unix.Dup(1) // as a careless parent would have left it
	require.NoError(t, err)
	defer unix.Close(stray)
	flags, err := unix.FcntlInt(uintptr(stray), unix.F_GETFD, 0)
	require.NoError(t, err)
	require.Zero(t, flags&unix.FD_CLOEXEC)

	require.NoError(t, proc.CloseOnExecAll())
	flags, err = unix.FcntlInt(uintptr(stray), unix.F_GETFD, 0)
	require.NoError(t, err)
	assert.NotZero(t, flags&unix.FD_CLOEXEC)
}

// ends waits for the end of a process that no Handle watches.
func ends(pidfd int) bool {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(bound.Milliseconds()))
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n == 1
		}
	}
}

// within fails when done is not closed in time.
func within(t *testing.T, done <-chan struct{}, limit time.Duration) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(limit):
		require.Fail(t, "too late")
	}
}
