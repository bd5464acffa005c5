package wasi

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// without runs something on a thread of its own from which a filter hides openat2.
// The thread ends with the goroutine, since it is never unlocked.
func without(t *testing.T, errno unix.Errno, do func()) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		filter := []unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the call's number
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_OPENAT2},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		}
		prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
		}
		if err == nil {
			do()
		}
		done <- err
	}()
	require.NoError(t, <-done)
}

func TestWithoutOpenat2ThereIsNoHost(t *testing.T) {
	t.Parallel()
	require.NoError(t, Supported())
	for _, errno := range []unix.Errno{unix.ENOSYS, unix.EPERM} {
		var h *Host
		var err error
		without(t, errno, func() { h, err = New(Config{Ctx: t.Context()}) })
		require.ErrorIs(t, err, errno)
		require.ErrorContains(t, err, "openat2 is needed")
		require.Nil(t, h)
	}
}

// Should the call vanish later, a path is an error, not resolved some other way.
func TestWithoutOpenat2NoPathIsResolved(t *testing.T) {
	t.Parallel()
	g := newGuest(t)
	g.write("work/d/f", "")
	without(t, unix.ENOSYS, func() {
		_, e := g.open(work, "d/f", 0, allRights, 0)
		require.Equal(t, NoSys, e)
		require.Equal(t, NoSys, g.at("path_unlink_file", work, "d/f"))
	})
	require.Empty(t, g.read("work/d/f"))
}
