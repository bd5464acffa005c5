package sandbox_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/sandbox"
)

func TestAGuestChangesOnlyWhatItMayAndIsToldOnEachRefusal(t *testing.T) {
	t.Parallel()
	m := loadGoGuest(t)
	work, data, more := tempDir(t), tempDir(t), tempDir(t)
	for _, dir := range []string{"out", "keep/deep"} {
		require.NoError(t, os.MkdirAll(filepath.Join(work, dir), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(work, "there"), make([]byte, 600), 0o600))
	var stdout output
	var refused []string
	task := goTask("write")
	task.Args = append(task.Args, "free=300", "keep/deep/x=1", "keep/x=1", "data/x=1", "more/x=5000", "more/keep=1", "big=200", "third=0", "other=0")
	task.Stdout, task.Work, task.Runtime = &stdout, openDir(t, work), openDir(t, tempDir(t))
	task.ReadOnly, task.WorkBytes, task.WorkNames = []string{"keep"}, 1000, 7
	task.Mounts = []sandbox.Mount{{FD: openDir(t, data), Name: "data", ReadOnly: true}, {FD: openDir(t, more), Name: "more"}}
	task.Refused = func(op, path, code string) { refused = append(refused, op+" "+path+" "+code) }
	assert.Empty(t, run(t, m, task).Detail())
	assert.Equal(t, `free <nil>
keep/deep/x open keep/deep/x: Read-only file system
keep/x open keep/x: Read-only file system
data/x open data/x: Read-only file system
more/x <nil>
more/keep <nil>
big write big: Quota exceeded
third <nil>
other open other: Quota exceeded
`, stdout.String())
	assert.Equal(t, []string{
		"path_open keep/deep/x rofs", "path_open keep/x rofs", "path_open x rofs", "fd_write  dquot", "path_open other dquot",
	}, refused)
	assert.Equal(t, map[string]int64{"free": 300, "big": 100, "third": 0, "there": 600}, sizes(t, work))
	assert.Empty(t, sizes(t, data))
	assert.Equal(t, map[string]int64{"x": 5000, "keep": 1}, sizes(t, more))
}

func TestAWorkFolderThatIsReadOnlyAsAWhole(t *testing.T) {
	t.Parallel()
	work := tempDir(t)
	task := goTask("write")
	var stdout output
	task.Args, task.Stdout, task.Work = append(task.Args, "x=1"), &stdout, openDir(t, work)
	task.ReadOnly = []string{"keep", "."}
	assert.Empty(t, run(t, loadGoGuest(t), task).Detail())
	assert.Equal(t, "x open x: Read-only file system\n", stdout.String())
	assert.Empty(t, sizes(t, work))
}

func TestAFolderThatCannotBeUsedKeepsTheTaskFromRunning(t *testing.T) {
	t.Parallel()
	m := loadText(t, body(``))
	file, err := os.CreateTemp(tempDir(t), "")
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	for says, task := range map[string]sandbox.Task{
		`wasi: preopen "/": protect "none": noent`:                {Work: openDir(t, tempDir(t)), Runtime: -1, ReadOnly: []string{"none"}},
		`wasi: preopen "/data" is not a directory`:                {Work: -1, Runtime: -1, Mounts: []sandbox.Mount{{FD: int(file.Fd()), Name: "data"}}},
		`the work folder cannot be measured: wasi: measure: badf`: {Work: 1 << 20, Runtime: -1, WorkBytes: 1},
	} {
		assert.Equal(t, says, run(t, m, task).Detail())
	}
}

// sizes are the lengths of the regular files in a folder.
func sizes(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	found := map[string]int64{}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		if info.Mode().IsRegular() {
			found[e.Name()] = info.Size()
		}
	}
	return found
}

// counter takes output and keeps none.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

func TestAGuestThatPrintsForEverIsEndedAtTheOutputLimit(t *testing.T) {
	t.Parallel()
	for fd, name := range map[string]string{"1": "stdout", "2": "stderr"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := loadText(t, `(module
			  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
			  (memory (export "memory") 33)
			  (func (export "_start")
			    (i32.store (i32.const 0) (i32.const 65536))
			    (i32.store (i32.const 4) (i32.const 0x200000))
			    (loop $again
			      (drop (call $write (i32.const `+fd+`) (i32.const 0) (i32.const 1) (i32.const 8)))
			      (br $again))))`)
			task := bare()
			kept := &counter{}
			task.Stdout, task.Stderr = kept, kept
			assert.Equal(t, "output limit ("+name+" 1024Mi)", run(t, m, task).Detail())
			assert.EqualValues(t, sandbox.MaxOutput, kept.n)
		})
	}
}
