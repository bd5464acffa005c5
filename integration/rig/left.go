package rig

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/atomicfile"
)

// NothingLeft checks a host that has stopped: no process, no socket, no temporary file, nothing of a session that only its life needed.
func (h *Host) NothingLeft() {
	h.t.Helper()
	require.True(h.t, h.Exited(), "the supervisor still runs")
	assert.Empty(h.t, h.Workers(), "workers outlive their supervisor")
	h.Idle()
	for _, path := range []string{h.State.OperatorSock(), h.State.HostSock(), h.State.FDSock()} {
		_, err := os.Lstat(path)
		assert.ErrorIs(h.t, err, fs.ErrNotExist, path)
	}
}

// Idle checks the state folder of a host without live sessions, whether it runs or has stopped.
func (h *Host) Idle() {
	h.t.Helper()
	for _, dir := range []string{h.State.WorkerRun(""), h.State.Sessions("")} {
		entries, err := os.ReadDir(dir)
		assert.NoError(h.t, err)
		assert.Empty(h.t, entries, "left in %s", dir)
	}
	var temps []string
	err := filepath.WalkDir(h.State.Root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(e.Name(), atomicfile.TempPrefix) {
			temps = append(temps, path)
		}
		return err
	})
	assert.NoError(h.t, err)
	assert.Empty(h.t, temps, "temporary files are left")
}
