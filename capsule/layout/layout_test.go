package layout_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/internal/tempdir"
	"rookery/capsule/layout"
)

func TestEveryPathIsWhereTheDocumentedLayoutHasIt(t *testing.T) {
	t.Parallel()
	state := layout.State{Root: "/s"}
	for want, path := range map[string]string{
		"/s/state.db":                      state.DB(),
		"/s/supervisor.lock":               state.Lock(),
		"/s/run":                           state.RunDir(),
		"/s/run/operator.sock":             state.OperatorSock(),
		"/s/run/h":                         state.HostDir(),
		"/s/run/h/host.sock":               state.HostSock(),
		"/s/run/h/fd.sock":                 state.FDSock(),
		"/s/run/w/0a1b2c3d":                state.WorkerRun("0a1b2c3d"),
		"/s/modules":                       state.Modules(),
		"/s/modules/k.cwasm":               state.Module("k"),
		"/s/records/worker/ses_1":          state.Records("worker", "ses_1"),
		"/s/records/worker/ses_1.json":     state.Lineage("worker", "ses_1"),
		"/s/sessions/ses_1":                state.Sessions("ses_1"),
		"/s/sessions/ses_1/runtime":        state.Runtime("ses_1"),
		"/s/work/ses_1":                    state.Work("ses_1"),
		"out/result_tsk_1.txt":             layout.TaskResultFile("tsk_1"),
		"murmur-runtime/delegations/x.txt": filepath.Join(layout.RuntimeMount, layout.DelegationsDir, "x.txt"),
	} {
		assert.Equal(t, want, path)
	}
}

func TestTheLongestSocketStillFitsUnderTheLongestRoot(t *testing.T) {
	t.Parallel()
	state := layout.State{Root: "/" + strings.Repeat("r", layout.MaxRoot-1)}
	require.NoError(t, state.Check())
	longest := filepath.Join(state.WorkerRun("ffffffff"), "plugin4294967295")
	for _, socket := range []string{longest, state.OperatorSock(), state.HostSock(), state.FDSock()} {
		assert.LessOrEqual(t, len(socket), 107)
	}
	assert.Len(t, longest, 107)
}

func TestARootTooLongForASocketIsRefusedWithBothNumbers(t *testing.T) {
	t.Parallel()
	root := filepath.Join(tempdir.New(t), strings.Repeat("r", 90))
	_, err := layout.Create(root)
	require.ErrorContains(t, err, "at most 75")
	assert.ErrorContains(t, err, "107")
	assert.NoDirExists(t, root, "nothing half-started stays")
}

func TestANewStateFolderHasItsFoldersClosedToOthers(t *testing.T) {
	t.Parallel()
	root := filepath.Join(tempdir.New(t), "above", "state")
	state, err := layout.Create(root)
	require.NoError(t, err)
	assert.Equal(t, root, state.Root)
	for _, dir := range []string{root, state.RunDir(), state.HostDir(), filepath.Dir(state.WorkerRun("x")), state.Modules(),
		filepath.Dir(filepath.Dir(state.Records("c", "s"))), filepath.Dir(state.Sessions("s")), filepath.Dir(state.Work("s"))} {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		assert.True(t, info.IsDir())
		assert.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), dir)
	}
	marker, err := os.ReadFile(filepath.Join(root, layout.Marker))
	require.NoError(t, err)
	assert.Equal(t, "rookery state 1\n", string(marker))
}

func TestAStateFolderIsTakenAgainAndClosedAgain(t *testing.T) {
	t.Parallel()
	root := filepath.Join(tempdir.New(t), "state")
	state, err := layout.Create(root)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(state.DB(), []byte("kept"), 0o600))
	require.NoError(t, os.Chmod(root, 0o755))
	require.NoError(t, os.Chmod(state.RunDir(), 0o777))
	require.NoError(t, os.RemoveAll(state.Modules()))
	_, err = layout.Create(root)
	require.NoError(t, err)
	for _, dir := range []string{root, state.RunDir(), state.Modules()} {
		info, err := os.Stat(dir)
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o700), info.Mode().Perm(), dir)
	}
	assert.FileExists(t, state.DB())
}

func TestAnEmptyFolderAndWhatAnInterruptedCreateLeftAreTaken(t *testing.T) {
	t.Parallel()
	root := tempdir.New(t)
	leftover := filepath.Join(root, ".tmp-0123456789abcdef")
	require.NoError(t, os.WriteFile(leftover, nil, 0o600))
	_, err := layout.Create(root)
	require.NoError(t, err)
	assert.NoFileExists(t, leftover)
}

func TestAFolderThatIsNotOursIsRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(root string) error
		want    string
	}{
		"a file in its place":       {func(root string) error { return os.WriteFile(root, nil, 0o600) }, "not a directory"},
		"somebody's files":          {func(root string) error { return makeFile(root, "notes.txt", "") }, `it holds "notes.txt"`},
		"a hidden file":             {func(root string) error { return makeFile(root, ".git", "") }, `it holds ".git"`},
		"the marker of a later one": {func(root string) error { return makeFile(root, layout.Marker, "rookery state 2\n") }, "rookery state 2"},
		"a marker that is a link": {func(root string) error {
			if err := makeFile(root, "other", "rookery state 1\n"); err != nil {
				return err
			}
			return os.Symlink("other", filepath.Join(root, layout.Marker))
		}, "symbolic link"},
		"a run folder that is a link": {func(root string) error {
			if err := makeFile(root, layout.Marker, "rookery state 1\n"); err != nil {
				return err
			}
			return os.Symlink("/tmp", filepath.Join(root, "run"))
		}, "symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(tempdir.New(t), "state")
			require.NoError(t, test.prepare(root))
			_, err := layout.Create(root)
			require.ErrorContains(t, err, test.want)
			assert.NoDirExists(t, filepath.Join(root, "records"))
		})
	}
}

func makeFile(root, name, text string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, name), []byte(text), 0o600)
}

func TestAFolderOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	// /sys belongs to root and is no network file system; root itself is refused
	// because it is not empty and has no marker.
	_, err := layout.Create("/sys")
	require.Error(t, err)
	if os.Geteuid() != 0 {
		assert.ErrorContains(t, err, "it belongs to uid 0")
		return
	}
	root := tempdir.New(t)
	require.NoError(t, os.Chown(root, 12345, -1))
	_, err = layout.Create(root)
	assert.ErrorContains(t, err, "it belongs to uid 12345, this is uid 0")
}
