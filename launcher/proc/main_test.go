package proc_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rookery/launcher/proc"
)

// behaviour is the variable that turns the test program into a child of the tests.
const behaviour = "RK_BEHAVE"

// bound is the longest that any wait of these tests may take.
const bound = 10 * time.Second

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		behave(strings.Fields(how))
	}
	os.Exit(m.Run())
}

// behave is the child. It never returns.
func behave(how []string) {
	number := 0
	if len(how) > 1 {
		number, _ = strconv.Atoi(how[1])
	}
	switch how[0] {
	case "exit":
		os.Exit(number)
	case "signal":
		_ = syscall.Kill(os.Getpid(), syscall.Signal(number))
	case "panic":
		panic("on purpose")
	case "family":
		// A member of the group that outlives its leader, and says who it is.
		member := exec.Command("/proc/self/exe")
		member.Env = []string{behaviour + "=stay"}
		if err := member.Start(); err != nil {
			os.Exit(90)
		}
		fmt.Println(member.Process.Pid)
		os.Exit(0)
	case "allocate":
		block := make([]byte, number)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1
		}
		os.Exit(0)
	}
	fmt.Println("ready")
	never := make(chan os.Signal, 1)
	signal.Notify(never, syscall.SIGTERM)
	for range never {
	}
}

// start runs a child and returns the read end of its standard output.
func start(t *testing.T, how string) (*proc.Handle, *os.File) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	read, write, err := os.Pipe()
	require.NoError(t, err)
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	h, err := proc.Start(proc.Command{
		Path:  program,
		Args:  []string{"child"},
		Env:   []string{behaviour + "=" + how, "GOMAXPROCS=1"},
		Files: []uintptr{null.Fd(), write.Fd(), null.Fd()},
	})
	require.NoError(t, err)
	write.Close()
	null.Close()
	t.Cleanup(func() {
		_ = h.KillGroup()
		gone(t, h)
		read.Close()
	})
	return h, read
}

// gone waits for the end of a process.
func gone(t *testing.T, h *proc.Handle) proc.ExitState {
	t.Helper()
	select {
	case <-h.Done():
	case <-time.After(bound):
		require.Fail(t, "the process has not ended", "pid %d", h.Identity().PID)
	}
	exit, known := h.Exit()
	require.True(t, known)
	return exit
}

// line reads one line of a child's output.
func line(t *testing.T, from *os.File) string {
	t.Helper()
	require.NoError(t, from.SetReadDeadline(time.Now().Add(bound)))
	var text strings.Builder
	var one [1]byte
	for {
		_, err := from.Read(one[:])
		require.NoError(t, err)
		if one[0] == '\n' {
			return text.String()
		}
		text.WriteByte(one[0])
	}
}
