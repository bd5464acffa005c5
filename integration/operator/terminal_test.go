package operator_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"rookery/integration/rig"
)

// terminal is a terminal of a test's own: what is written to its inner end is what a person would see.
type terminal struct {
	inner *os.File
	mu    sync.Mutex
	seen  strings.Builder
}

func newTerminal(t *testing.T, columns, rows uint16) *terminal {
	t.Helper()
	outer, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(outer.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(outer.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	inner, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(inner.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows}))
	term := &terminal{inner: inner}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 4096)
		for {
			n, err := outer.Read(buffer)
			term.mu.Lock()
			term.seen.Write(buffer[:n])
			term.mu.Unlock()
			if err != nil {
				return // the inner end is closed
			}
		}
	}()
	t.Cleanup(func() { _ = inner.Close(); <-done; _ = outer.Close() })
	return term
}

func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.seen.String()
}

func TestATreeIsLiveOnATerminal(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, sleeper())
	term := newTerminal(t, 60, 10)
	ctx, cancel := context.WithTimeout(context.Background(), rig.Soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(rig.Path("bin"), "supervisor"), "tree", "-w")
	cmd.Env, cmd.Stdout = []string{"HOME=" + h.Dir, "ROOKERY_STATE=" + h.State.Root}, term.inner
	require.NoError(t, cmd.Start())
	rig.Until(t, rig.Soon, "the tree is drawn from the top left", func() bool {
		return strings.HasPrefix(term.text(), "\x1b[H") && strings.Contains(term.text(), "sleep sleep@0.1.0 running pid ")
	})
	launched := one(t, h, "launch", "sleep", "--task", "x")
	rig.Until(t, rig.Soon, "what changes shows by itself", func() bool { return strings.Contains(term.text(), launched.RootID+" sleep@0.1.0 running") })
	require.Equal(t, 0, h.Stop())
	require.NoError(t, cmd.Wait(), "it ends with the host")
	for frame := range strings.SplitSeq(term.text(), "\x1b[H") {
		for line := range strings.SplitSeq(frame, "\r\n") {
			assert.LessOrEqual(t, len([]rune(strings.TrimSuffix(line, "\x1b[K"))), 60, "a line fits: %q", line)
		}
	}

	table := exec.CommandContext(ctx, filepath.Join(rig.Path("bin"), "supervisor"), "ps", "--all")
	table.Env, table.Stdout = cmd.Env, term.inner
	require.NoError(t, table.Run())
	rig.Until(t, rig.Soon, "a table is what a terminal gets", func() bool { return strings.Contains(term.text(), "SESSION ") })
}
