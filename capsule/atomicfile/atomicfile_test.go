package atomicfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/atomicfile"
	"rookery/capsule/internal/tempdir"
)

func entries(t *testing.T, dir string) []string {
	t.Helper()
	found, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := []string{}
	for _, entry := range found {
		names = append(names, entry.Name())
	}
	return names
}

func TestAFileIsReplacedWithItsContentAndExactMode(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	path := filepath.Join(dir, "file")
	for _, write := range []struct {
		text string
		mode fs.FileMode
	}{{"first", 0o600}, {"", 0o644}, {strings.Repeat("third", 100_000), 0o666}} {
		require.NoError(t, atomicfile.Write(path, []byte(write.text), write.mode))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, write.text, string(text))
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, write.mode, info.Mode(), "whatever the umask")
	}
	assert.Equal(t, []string{"file"}, entries(t, dir))
}

func TestTheLongestNameCanBeWritten(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 255)
	dir := tempdir.New(t)
	require.NoError(t, atomicfile.Write(filepath.Join(dir, name), nil, 0o600))
	assert.Equal(t, []string{name}, entries(t, dir))
}

func TestALinkIsReplacedAndNotFollowed(t *testing.T) {
	t.Parallel()
	dir, outside := tempdir.New(t), filepath.Join(tempdir.New(t), "target")
	require.NoError(t, os.WriteFile(outside, []byte("untouched"), 0o600))
	path := filepath.Join(dir, "file")
	require.NoError(t, os.Symlink(outside, path))
	require.NoError(t, atomicfile.Write(path, []byte("new"), 0o600))
	text, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "untouched", string(text))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	assert.True(t, info.Mode().IsRegular())
}

func TestAFailedWriteLeavesTheOldContentAndNoTemporaryFile(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "folder", "inside"), 0o700))
	require.Error(t, atomicfile.Write(filepath.Join(dir, "folder"), []byte("x"), 0o600), "a folder is in the way")
	assert.Equal(t, []string{"folder"}, entries(t, dir))

	err := atomicfile.Write(filepath.Join(dir, "missing", "file"), nil, 0o600)
	require.ErrorIs(t, err, fs.ErrNotExist)
	var located *fs.PathError
	assert.ErrorAs(t, err, &located)
}

func TestLeftoversAreSweptAndNothingElse(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	for _, name := range []string{atomicfile.TempPrefix + "a", atomicfile.TempPrefix + "b", "record", ".hidden"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "below"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "below", atomicfile.TempPrefix+"c"), nil, 0o600))
	held, err := os.Open(dir)
	require.NoError(t, err)
	defer held.Close()
	for _, want := range []int{2, 0} {
		removed, err := atomicfile.Sweep(int(held.Fd()))
		require.NoError(t, err)
		assert.Equal(t, want, removed)
	}
	assert.ElementsMatch(t, []string{".hidden", "below", "record"}, entries(t, dir))
	assert.Len(t, entries(t, filepath.Join(dir, "below")), 1)
}

func TestALeftoverThatCannotBeRemovedIsReported(t *testing.T) {
	t.Parallel()
	dir := tempdir.New(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, atomicfile.TempPrefix+"folder"), 0o700))
	held, err := os.Open(dir)
	require.NoError(t, err)
	defer held.Close()
	_, err = atomicfile.Sweep(int(held.Fd()))
	assert.Error(t, err)
}
