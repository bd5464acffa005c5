package beneath_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestATreeIsRemovedWithItsLinksAndNotWhatTheyLeadTo(t *testing.T) {
	t.Parallel()
	dir, outside := hold(t)
	require.NoError(t, dir.MkdirAll("tree/deep/er", 0o700))
	for i := range 600 {
		require.NoError(t, os.WriteFile(filepath.Join(dir.Name(), "tree/deep", fmt.Sprint("file-", i)), nil, 0o600))
	}
	require.NoError(t, os.Symlink(outside, filepath.Join(dir.Name(), "tree/deep/er/link")))
	require.NoError(t, unix.Mkfifo(filepath.Join(dir.Name(), "tree/pipe"), 0o600))
	require.NoError(t, dir.RemoveAll("tree"))
	assert.NoDirExists(t, filepath.Join(dir.Name(), "tree"))
	assert.FileExists(t, filepath.Join(outside, "secret"))
	assert.FileExists(t, filepath.Join(dir.Name(), "a/file"))
}

func TestATreeDeeperThanWeHoldOpenIsRemoved(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	require.NoError(t, dir.MkdirAll("top", 0o700))
	at, err := dir.Sub("top")
	require.NoError(t, err)
	for range 300 {
		require.NoError(t, at.MkdirAll("x", 0o700))
		file, err := at.OpenFile("y", unix.O_WRONLY|unix.O_CREAT, 0o600)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		below, err := at.Sub("x")
		require.NoError(t, err)
		require.NoError(t, at.Close())
		at = below
	}
	require.NoError(t, at.Close())
	before, err := dir.Names()
	require.NoError(t, err)
	require.NoError(t, dir.RemoveAll("top"))
	after, err := dir.Names()
	require.NoError(t, err)
	assert.Len(t, after, len(before)-1, "what was moved up on the way is gone too")
}

func TestRemovingWhatIsNotThereSucceedsOnlyForATree(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	assert.NoError(t, dir.RemoveAll("missing"))
	assert.ErrorIs(t, dir.Remove("missing"), os.ErrNotExist)
}

func TestOneEntryIsRemovedUnlessItHoldsSomething(t *testing.T) {
	t.Parallel()
	dir, _ := hold(t)
	require.NoError(t, dir.Remove("a/b"))
	require.ErrorIs(t, dir.Remove("a"), unix.ENOTEMPTY)
	require.NoError(t, dir.Remove("a/file"))
	require.NoError(t, dir.Remove("a"))
}
