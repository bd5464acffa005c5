package bench

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"rookery/integration/rig"
)

// probe asks a supervisor for what nobody sees from outside: its heap and its goroutines.
type probe struct {
	programs string
	path     string
}

// newProbe builds the supervisor as `./dev build` does, but with the file testdata/probe/probe.go in its package main.
func newProbe(b *testing.B) probe {
	b.Helper()
	dir := b.TempDir()
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		rig.Path("supervisor/probe.go"): rig.Path("integration/bench/testdata/probe/probe.go"),
	}})
	require.NoError(b, err)
	replaced := filepath.Join(dir, "overlay.json")
	require.NoError(b, os.WriteFile(replaced, overlay, 0o600))
	build := exec.Command("go", "build", "-overlay", replaced, "-trimpath", "-buildvcs=false", "-ldflags=-s -w",
		"-o", filepath.Join(dir, "supervisor"), "./supervisor")
	build.Dir = rig.Path(".")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	said, err := build.CombinedOutput()
	require.NoError(b, err, "%s", said)
	require.NoError(b, os.Symlink(rig.Path("bin/worker"), filepath.Join(dir, "worker")))
	return probe{programs: dir, path: filepath.Join(dir, "probe")}
}

// up starts a host that can be asked.
func (p probe) up(b *testing.B, fleet rig.Fleet) *rig.Host {
	b.Helper()
	return rig.Up(b, fleet, rig.Programs(p.programs), rig.Env("ROOKERY_PROBE="+p.path))
}

// kept is what a process holds.
type kept struct {
	// Heap is in bytes, right after the garbage was collected.
	Heap        int64
	Goroutines  int
	descriptors int
}

// ask waits for the answer.
func (p probe) ask(b *testing.B, h *rig.Host) (k kept) {
	b.Helper()
	if err := os.Remove(p.path); err != nil {
		require.ErrorIs(b, err, fs.ErrNotExist)
	}
	h.Signal(syscall.SIGUSR1)
	rig.Until(b, bound, "the probe answers", func() bool {
		_, err := os.Stat(p.path)
		return err == nil
	})
	text, err := os.ReadFile(p.path)
	require.NoError(b, err)
	require.NoError(b, json.Unmarshal(text, &k))
	k.descriptors, err = rig.Descriptors(h.PID())
	require.NoError(b, err)
	return k
}
