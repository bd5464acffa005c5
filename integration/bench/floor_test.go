package bench

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// small is a process that costs as little as a process can: static, in C, a few pages.
type small struct{ path string }

func newSmall(b *testing.B, text string) small {
	b.Helper()
	dir := b.TempDir()
	source, path := filepath.Join(dir, "small.c"), filepath.Join(dir, "small")
	require.NoError(b, os.WriteFile(source, []byte(text), 0o600))
	said, err := exec.Command("gcc", "-static", "-O2", "-o", path, source).CombinedOutput()
	require.NoError(b, err, "%s", said)
	return small{path}
}

const (
	// endsAtOnce is what the floor of a start is measured with, endsNever that of a death.
	endsAtOnce = "int main(void) { return 0; }\n"
	endsNever  = "#include <unistd.h>\nint main(void) { write(1, \"\\n\", 1); for (;;) pause(); }\n"
)

// run is fork, exec and wait.
func (s small) run(b *testing.B) time.Duration {
	b.Helper()
	begun := time.Now()
	process, err := os.StartProcess(s.path, []string{s.path}, &os.ProcAttr{})
	require.NoError(b, err)
	state, err := process.Wait()
	took := time.Since(begun)
	require.NoError(b, err)
	require.True(b, state.Success())
	return took
}

// die is SIGKILL until the kernel says that the process is gone.
func (s small) die(b *testing.B) time.Duration {
	b.Helper()
	out, in, err := os.Pipe()
	require.NoError(b, err)
	defer out.Close()
	process, err := os.StartProcess(s.path, []string{s.path}, &os.ProcAttr{Files: []*os.File{nil, in}})
	require.NoError(b, err)
	require.NoError(b, in.Close())
	_, err = out.Read(make([]byte, 1)) // it runs
	require.NoError(b, err)
	took := killed(b, process.Pid)
	_, err = process.Wait()
	require.NoError(b, err)
	return took.exit().Sub(took.at)
}

// kill is a SIGKILL that was sent.
type kill struct {
	at   time.Time
	exit func() time.Time // waits for the process to be gone and says when that was
}

// killed sends a process SIGKILL while another goroutine waits for its end.
func killed(b *testing.B, pid int) kill {
	b.Helper()
	pidfd, err := unix.PidfdOpen(pid, 0)
	require.NoError(b, err)
	gone := make(chan time.Time, 1)
	waiting := make(chan struct{})
	go func() {
		defer unix.Close(pidfd)
		fds := []unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
		close(waiting)
		for {
			n, err := unix.Poll(fds, int(bound.Milliseconds()))
			if err == unix.EINTR {
				continue
			}
			if n == 1 {
				gone <- time.Now()
			}
			close(gone)
			return
		}
	}()
	<-waiting
	at := time.Now()
	require.NoError(b, unix.PidfdSendSignal(pidfd, unix.SIGKILL, nil, 0))
	return kill{at: at, exit: func() time.Time {
		when, ended := <-gone
		require.True(b, ended, "pid %d is still there", pid)
		return when
	}}
}
