package launcher_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/launcher"
)

func TestPrepareMakesWhatTheSessionNeedsAndDiscardUndoesIt(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	given := spec(t, "")
	given.Files = map[string][]byte{"task.md": []byte("count"), "MURMUR.md": []byte("here")}
	prepared, err := h.Prepare(context.Background(), given)
	require.NoError(t, err)

	records := h.state.Records("census", given.SessionID)
	assert.Equal(t, records, prepared.RecordsDir())
	assert.Equal(t, h.state.Work(given.SessionID), prepared.Workdir())
	assert.Equal(t, h.state.Runtime(given.SessionID), prepared.RuntimeDir())
	assert.Regexp(t, `^[0-9a-f]{8}$`, prepared.RunHex())
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+$`, prepared.URL())
	for path, mode := range map[string]os.FileMode{
		records: 0o700, filepath.Join(records, "logs"): 0o700,
		filepath.Join(records, "logs/worker.log"):         0o600,
		filepath.Join(records, "logs/guest.stdout.log"):   0o600,
		filepath.Join(records, "logs/guest.stderr.log"):   0o600,
		filepath.Join(prepared.RuntimeDir(), "task.md"):   0o600,
		filepath.Join(prepared.RuntimeDir(), "MURMUR.md"): 0o600,
		prepared.RuntimeDir():                             0o700,
		prepared.Workdir():                                0o700,
		h.state.WorkerRun(prepared.RunHex()):              0o700,
	} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, mode, info.Mode().Perm(), path)
	}

	require.NoError(t, prepared.Discard())
	require.NoError(t, prepared.Discard())
	for _, folder := range []string{"records/census", "sessions", "work", "run/w"} {
		assert.Empty(t, entries(t, h.state.Root, folder), folder)
	}
	_, err = net.Dial("tcp", strings.TrimPrefix(prepared.URL(), "http://"))
	require.Error(t, err, "the door stays open")
	_, err = prepared.Exec(context.Background())
	require.Error(t, err, "it was discarded")
}

func TestAWorkFolderOfTheOperatorsIsUsedAndNeverRemoved(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for _, workdir := range []string{filepath.Join(h.state.Root, "new", "work"), t.TempDir()} {
		given := spec(t, "")
		given.Workdir = workdir
		prepared, err := h.Prepare(context.Background(), given)
		require.NoError(t, err)
		assert.Equal(t, workdir, prepared.Workdir())
		require.NoError(t, prepared.Discard())
		assert.DirExists(t, workdir)
		assert.Empty(t, entries(t, h.state.Root, "work"))
	}
}

func TestPrepareRefusesBadInputAndLeavesNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name   string
		ctx    context.Context
		change func(*launcher.Spec)
		says   string
	}{
		{"no id", context.Background(), func(s *launcher.Spec) { s.SessionID = "" }, "not a session id"},
		{"an id that walks", context.Background(), func(s *launcher.Spec) { s.SessionID = "../x" }, "not a session id"},
		{"a capsule that walks", context.Background(), func(s *launcher.Spec) { s.Capsule = "../../x" }, "not a plain relative path"},
		{"a relative work folder", context.Background(), func(s *launcher.Spec) { s.Workdir = "work" }, "not an absolute path"},
		{"a work folder that is a file", context.Background(), func(s *launcher.Spec) { s.Workdir = "/proc/self/stat" }, "not a directory"},
		{"a file that walks", context.Background(), func(s *launcher.Spec) { s.Files = map[string][]byte{"../x": nil} }, "not a plain relative path"},
		{"no native code", context.Background(), func(s *launcher.Spec) { s.Native = nil }, "no native code"},
		{"an ended context", canceled, func(*launcher.Spec) {}, "context canceled"},
	} {
		t.Run(test.name, func(t *testing.T) {
			bad := spec(t, "")
			test.change(&bad)
			_, err := h.Prepare(test.ctx, bad)
			require.ErrorContains(t, err, test.says)
			for _, folder := range []string{"records", "sessions", "work", "run/w"} {
				for _, left := range entries(t, h.state.Root, folder) {
					assert.Empty(t, entries(t, h.state.Root, filepath.Join(folder, left)), "%s/%s", folder, left)
				}
			}
		})
	}
}
