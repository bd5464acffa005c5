package rig

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cliTimeout bounds one command. The longest, a kill, has a grace of seconds.
const cliTimeout = 60 * time.Second

// Said is what one command left.
type Said struct {
	Stdout, Stderr string
	Code           int
}

// CLI runs `supervisor` in a process of its own, on this host's state folder.
func (h *Host) CLI(args ...string) Said {
	h.t.Helper()
	return Command(h.t, h.Dir, []string{"HOME=" + h.Dir, "ROOKERY_STATE=" + h.State.Root}, args...)
}

// Command runs `supervisor` in dir with exactly this environment.
func Command(t testing.TB, dir string, env []string, args ...string) Said {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), cliTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(Path("bin"), "supervisor"), args...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, &stdout, &stderr
	err := cmd.Run()
	require.NoError(t, ctx.Err(), "supervisor %v did not end", args)
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		require.NoError(t, err)
	}
	return Said{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}
}
