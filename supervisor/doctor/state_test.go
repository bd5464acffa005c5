package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	operatorv1 "rookery/proto/rookery/operator/v1"
)

func TestTheStateFolderIsGoodOnlyWhereUpCanMakeItOrWriteInIt(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "open"), 0o700))
	for name, mode := range map[string]os.FileMode{"unwritable": 0o555, "closed": 0} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), mode))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	for name, c := range map[string]struct{ path, want, remedy string }{
		"a folder that is there":                {path: "open"},
		"one that can be made":                  {path: "open/a/b"},
		"a folder that takes no files":          {"unwritable", "may not write in", "chown"},
		"one beneath a folder that takes none":  {"unwritable/a/b", "may not write in", "chown"},
		"one beneath a folder that is closed":   {"closed/a", "may not write in", "chown"},
		"a file in its place":                   {"file", "file is not a folder", "another folder"},
		"a file in a parent's place":            {"file/a/b", "file is not a folder", "another folder"},
		"a link to nowhere in its place":        {"dangling", "no such file", "another folder"},
		"one beneath a link to nowhere":         {"dangling/a", "no such file", "another folder"},
		"one whose path leaves sockets no room": {string(make([]byte, 200)), "at most", "shorter path"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			done := make(chan *operatorv1.Check, 1)
			go func() {
				runtime.LockOSThread() // and never unlocked: the thread ends with its changed rights
				if os.Geteuid() == 0 && c.want != "" {
					_ = unix.Setfsuid(65534) // permissions do not apply to root
				}
				done <- stateFolder(filepath.Join(dir, c.path))
			}()
			found := <-done
			assert.True(t, found.GetRequired())
			if c.want == "" {
				assert.Equal(t, operatorv1.CheckState_CHECK_STATE_OK, found.GetState(), found.GetDetail())
				return
			}
			assert.Equal(t, operatorv1.CheckState_CHECK_STATE_MISSING, found.GetState())
			assert.Contains(t, found.GetDetail(), c.want)
			assert.Contains(t, found.GetRemedy(), c.remedy)
		})
	}
}
