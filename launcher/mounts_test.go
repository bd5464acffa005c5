package launcher_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/launcher"
)

func TestAScopeIsMadeBeneathTheWorkFolderAndThroughNoLink(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	given := spec(t, "")
	given.Scope = "data/in"
	prepared, err := h.Prepare(context.Background(), given)
	require.NoError(t, err)
	assert.Equal(t, h.state.Work(given.SessionID), prepared.Workdir(), "people are told of the whole")
	assert.DirExists(t, filepath.Join(prepared.Workdir(), "data/in"))
	require.NoError(t, prepared.Discard())
	assert.NoDirExists(t, prepared.Workdir())

	work, outside := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(work, "data")))
	given = spec(t, "")
	given.Workdir, given.Scope = work, "data/in"
	_, err = h.Prepare(context.Background(), given)
	require.ErrorContains(t, err, "scope data/in of the work folder: ")
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestAFolderThatCannotBeMountedIsAnErrorAndNothingStays(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, host := range []string{"relative", filepath.Join(t.TempDir(), "none"), file} {
		given := spec(t, "")
		given.Mounts = []launcher.Mount{{Host: t.TempDir(), Guest: "a"}, {Host: host, Guest: "b"}}
		_, err := h.Prepare(context.Background(), given)
		require.ErrorContains(t, err, "mounted folder")
		assert.Empty(t, entries(t, h.state.Root, "work"))
	}
}
