package store_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/supervisor/store"
)

func TestASecondProcessIsRefusedWithTheFirstOnesPid(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "lock")
	require.NoError(t, os.WriteFile(path, []byte("999999\n and what a dead one left behind"), 0o600))
	cmd, lines := other(t, "lock", path)
	require.True(t, lines.Scan())
	require.Equal(t, "held", lines.Text())

	_, err := store.Lock(path)
	var held *store.HeldError
	require.ErrorAs(t, err, &held)
	assert.Equal(t, cmd.Process.Pid, held.PID)
	assert.Contains(t, err.Error(), "pid "+strconv.Itoa(cmd.Process.Pid))

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	release, err := store.Lock(path)
	require.NoError(t, err, "a killed holder keeps the lock")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strconv.Itoa(os.Getpid())+"\n", string(text))
	require.NoError(t, release())
	release, err = store.Lock(path)
	require.NoError(t, err)
	require.NoError(t, release())
}

func TestAHolderWhosePidIsNotWrittenYetIsStillNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "lock")
	release, err := store.Lock(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("-7 junk"), 0o600))
	_, err = store.Lock(path)
	require.ErrorContains(t, err, "another supervisor holds this state folder")
	require.NoError(t, release())
}

func TestALockThatIsNoRegularFileIsRefused(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	require.NoError(t, os.Symlink("elsewhere", filepath.Join(dir, "link")))
	for _, name := range []string{"link", "."} {
		_, err := store.Lock(filepath.Join(dir, name))
		require.Error(t, err, name)
	}
	assert.NoFileExists(t, filepath.Join(dir, "elsewhere"))
}

func TestAFileThatAnotherProcessHoldsIsRefusedInTime(t *testing.T) {
	t.Parallel()
	path := filled(t)
	_, lines := other(t, "open", path)
	require.True(t, lines.Scan())
	require.Equal(t, "open", lines.Text())
	begun := time.Now()
	_, _, err := store.Open(path, 100*time.Millisecond)
	require.ErrorIs(t, err, store.ErrLocked)
	require.ErrorContains(t, err, "100ms")
	assert.Less(t, time.Since(begun), patience/2)
}

func TestAFileThatIsNotAFileIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	path := filepath.Join(dir, "state.db")
	require.NoError(t, os.Symlink("elsewhere", path))
	_, _, err := store.Open(path, patience)
	require.ErrorContains(t, err, "not a regular file")
	_, _, err = store.Open(filepath.Join(dir, "missing", "state.db"), patience)
	require.Error(t, err)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}
