package proc_test

import (
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/launcher/proc"
)

func TestVerifyRefusesEveryOtherProcess(t *testing.T) {
	t.Parallel()
	h, out := start(t, "stay")
	line(t, out)
	ended, _ := start(t, "exit 0")
	gone(t, ended)
	boot, err := proc.BootID()
	require.NoError(t, err)
	for _, test := range []struct {
		name  string
		forge func(proc.Identity) proc.Identity
		err   error
	}{
		{"another start time: the pid was given away", func(id proc.Identity) proc.Identity { id.StartTime--; return id }, proc.ErrStranger},
		{"another boot", func(id proc.Identity) proc.Identity { id.BootID = "0" + id.BootID[1:] + "x"; return id }, proc.ErrGone},
		{"no boot", func(id proc.Identity) proc.Identity { id.BootID = ""; return id }, proc.ErrGone},
		{"an ended process", func(proc.Identity) proc.Identity { return ended.Identity() }, proc.ErrGone},
		{"pid 0", func(id proc.Identity) proc.Identity { id.PID = 0; return id }, proc.ErrStranger},
		{"a negative pid", func(id proc.Identity) proc.Identity { id.PID = -id.PID; return id }, proc.ErrStranger},
		{"pid 1, whose group is everybody", func(id proc.Identity) proc.Identity { id.PID = 1; return id }, proc.ErrStranger},
		{"ourselves", func(id proc.Identity) proc.Identity { id.PID = os.Getpid(); return id }, proc.ErrStranger},
		{"another live process", func(id proc.Identity) proc.Identity { id.PID = os.Getppid(); return id }, proc.ErrStranger},
		{"nothing", func(proc.Identity) proc.Identity { return proc.Identity{BootID: boot} }, proc.ErrStranger},
	} {
		t.Run(test.name, func(t *testing.T) {
			forged, err := proc.Verify(test.forge(h.Identity()))
			require.ErrorIs(t, err, test.err)
			assert.Nil(t, forged)
		})
	}
	assert.False(t, h.Fired(), "a refused identity was signalled")
}

func TestVerifyRefusesAZombie(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{behaviour + "=exit 0"}
	require.NoError(t, cmd.Start())
	defer func() { require.NoError(t, cmd.Wait()) }()
	pidfd, err := unix.PidfdOpen(cmd.Process.Pid, 0)
	require.NoError(t, err)
	defer unix.Close(pidfd)
	require.True(t, ends(pidfd))

	_, err = proc.Verify(identity(t, cmd.Process.Pid))
	require.ErrorIs(t, err, proc.ErrGone)
}

func TestAVerifiedProcessIsKilledWithItsGroupAndItsEndSeen(t *testing.T) {
	t.Parallel()
	// Not through proc.Start: this one is somebody else's child, whose status stays with that parent.
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{behaviour + "=stay"}
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	reaped := make(chan struct{})
	defer func() { within(t, reaped, bound) }()

	h, err := proc.Verify(identity(t, cmd.Process.Pid))
	require.NoError(t, err)
	require.NoError(t, h.KillGroup())
	within(t, h.Done(), bound)
	exit, known := h.Exit()
	assert.True(t, known)
	assert.Equal(t, proc.ExitState{}, exit, "its status is its parent's")
	go func() { _ = cmd.Wait(); close(reaped) }()
	h.Release()
}

func TestAReleasedProcessLivesOnUnwatched(t *testing.T) {
	t.Parallel()
	child, out := start(t, "stay")
	line(t, out)
	h, err := proc.Verify(child.Identity())
	require.NoError(t, err)
	h.Release()
	h.Release()
	assert.False(t, child.Fired())
	require.ErrorIs(t, h.Signal(unix.SIGKILL), proc.ErrGone, "a released handle reaches nobody")
	select {
	case <-h.Done():
		assert.Fail(t, "a released process was said to have ended")
	case <-time.After(time.Millisecond):
	}
}

// identity reads what Verify compares with, in the test's own way.
func identity(t *testing.T, pid int) proc.Identity {
	t.Helper()
	boot, err := proc.BootID()
	require.NoError(t, err)
	var started uint64
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	require.NoError(t, err)
	started, err = proc.ParseStartTime(stat)
	require.NoError(t, err)
	return proc.Identity{PID: pid, StartTime: started, BootID: boot}
}
