package rig

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/atomicfile"
	"rookery/capsule/outcome"
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

// EveryIntentHasItsRecord checks, without asking a supervisor, that each session on disk has its end: the lineage that a supervisor
// writes when a session begins stands for the intent.
func (h *Host) EveryIntentHasItsRecord() {
	h.t.Helper()
	lineages, err := filepath.Glob(filepath.Join(h.State.Root, "records", "*", "ses_*.json"))
	require.NoError(h.t, err)
	require.NotEmpty(h.t, lineages)
	for _, path := range lineages {
		dir := strings.TrimSuffix(path, ".json")
		_, completion := os.Stat(filepath.Join(dir, outcome.CompletionFile))
		_, end := os.Stat(filepath.Join(dir, outcome.EndFile))
		assert.True(h.t, completion == nil || end == nil, "%s has no record", dir)
	}
}
