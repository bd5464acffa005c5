package daemon

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func TestASocketThatWasLeftBehindIsReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "s")
	old, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	old.SetUnlinkOnClose(false)
	require.NoError(t, old.Close())

	l, err := listen(path)
	require.NoError(t, err)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, l.Close())
}

func TestSomethingThatIsNotASocketIsNeverRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t), "s")
	require.NoError(t, os.WriteFile(path, []byte("mine"), 0o600))
	_, err := listen(path)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "not a socket")
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "mine", string(raw))
}

func TestTheWorkerProgramIsFoundBesideTheSupervisorThroughLinks(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "real"), 0o700))
	for _, name := range []string{"supervisor", "worker"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "real", name), nil, 0o700))
	}
	link := filepath.Join(dir, "supervisor")
	require.NoError(t, os.Symlink(filepath.Join(dir, "real", "supervisor"), link))

	path, err := FindWorker(link, "")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "real", "worker"), path)
}

func TestAWorkerProgramThatCannotBeStartedIsSaidToBeSo(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	executable := filepath.Join(dir, "supervisor")
	require.NoError(t, os.WriteFile(executable, nil, 0o700))
	plain := filepath.Join(dir, "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))

	_, err := FindWorker(executable, "")
	require.ErrorContains(t, err, "beside the supervisor")
	_, err = FindWorker(executable, filepath.Join(dir, "none"))
	require.ErrorContains(t, err, "none")
	_, err = FindWorker(executable, plain)
	require.ErrorContains(t, err, "not an executable file")
	_, err = FindWorker(executable, dir)
	require.ErrorContains(t, err, "not an executable file")
}

func TestFoldersOfAnEarlierLifeAreEmptied(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "1a2b3c4d"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "1a2b3c4d", "plugin1"), nil, 0o600))
	require.NoError(t, clearFolders(dir))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
	require.Error(t, clearFolders(filepath.Join(dir, "none")))
}
