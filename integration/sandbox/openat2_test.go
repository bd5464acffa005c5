package sandbox_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/integration/rig"
	"rookery/proto/plugin"
)

// withoutOpenat2 runs a program from which a filter hides openat2, as a machine's policy for containers may. It returns what the
// program said and its exit code.
func withoutOpenat2(t *testing.T, files []*os.File, env []string, name string, args ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env, cmd.ExtraFiles = env, files
	type end struct {
		text []byte
		err  error
	}
	ended := make(chan end, 1)
	go func() {
		// The thread keeps the filter, and what it starts inherits it. It is never unlocked, so it ends with this goroutine.
		runtime.LockOSThread()
		text, err := []byte(nil), hideOpenat2()
		if err == nil {
			text, err = cmd.CombinedOutput()
		}
		ended <- end{text, err}
	}()
	e := <-ended
	var failed *exec.ExitError
	if !errors.As(e.err, &failed) {
		require.NoError(t, e.err)
	}
	return string(e.text), cmd.ProcessState.ExitCode()
}

func hideOpenat2() error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the call's number
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_OPENAT2},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&prog)), 0, 0)
}

// There is no second, weaker way to resolve a path.
func TestWithoutOpenat2NeitherProgramStarts(t *testing.T) {
	t.Parallel()
	const why = "openat2 is missing: Linux 5.6 or newer is needed"
	p := newPlace(t)
	p.write("fleet.yaml", "version: 1\n")
	said, code := withoutOpenat2(t, nil, []string{"HOME=" + p.root}, rig.Path("bin/supervisor"), "up", "-f", p.path("fleet.yaml"), "--state", p.path("s"))
	assert.Contains(t, said, why)
	assert.NotZero(t, code)
	assert.NoFileExists(t, p.path("s/run/operator.sock"))

	gate, open, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { _ = gate.Close() })
	_, err = open.Write([]byte{1})
	require.NoError(t, err)
	require.NoError(t, open.Close())
	said, code = withoutOpenat2(t, []*os.File{gate}, []string{plugin.Handshake.MagicCookieKey + "=" + plugin.Handshake.MagicCookieValue}, rig.Path("bin/worker"))
	assert.Contains(t, said, why)
	assert.Equal(t, plugin.ExitNeverServed, code)
}
