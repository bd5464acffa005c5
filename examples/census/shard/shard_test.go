package shard

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func readAll(t *testing.T, folder fs.FS) (tasks []Task, left []LeftOut) {
	t.Helper()
	r, err := Open(folder)
	require.NoError(t, err)
	for {
		task, err := r.Next()
		require.NoError(t, err)
		if len(task.Files) == 0 {
			return tasks, r.LeftOut()
		}
		tasks = append(tasks, task)
	}
}

func TestEveryFileIsInOneTaskInOrder(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{}
	for i := range 200 {
		folder[fmt.Sprintf("d%d/%03d.go", i/50, i)] = &fstest.MapFile{Data: []byte(strings.Repeat("x\n", 100*i))}
	}
	folder["empty"] = &fstest.MapFile{}
	tasks, left := readAll(t, folder)
	assert.Empty(t, left)
	assert.InDelta(t, 24, len(tasks), 4, "a folder is cut into about this many tasks")
	var paths []string
	for _, task := range tasks {
		for _, file := range task.Files {
			paths = append(paths, file.Path)
			assert.Equal(t, string(folder[file.Path].Data), file.Text)
		}
	}
	assert.Len(t, paths, 201)
	assert.IsNonDecreasing(t, paths)
}

func TestATaskStaysUnderARequestsLimitHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{}
	for i := range 60 {
		for name, unit := range map[string]string{"quotes": `"\`, "html": "<&>", "controls": "\x01\n", "bytes": "\xff"} {
			folder[fmt.Sprintf("%s%d", name, i)] = &fstest.MapFile{Data: []byte(strings.Repeat(unit, 30000/len(unit)))}
		}
	}
	tasks, left := readAll(t, folder)
	assert.Empty(t, left)
	for _, task := range tasks {
		text, err := task.Encode()
		require.NoError(t, err)
		request, err := encode(map[string]any{"capsule": "counter", "version": "0.1.0", "task": text})
		require.NoError(t, err)
		assert.Less(t, len(request), 1<<20-1<<16)
		back, err := Decode(text)
		require.NoError(t, err)
		assert.Len(t, back.Files, len(task.Files))
	}
}

func TestWhatCannotBeCountedIsLeftOutByName(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("d/", 600) + "a.go"
	folder := fstest.MapFS{
		"a.go":   {Data: []byte("package a\n")},
		"binary": {Data: []byte("\x7fELF\x00\x00")},
		"data":   {Data: make([]byte, maxFile+1)},
		"link":   {Data: []byte("a.go"), Mode: fs.ModeSymlink | 0o777},
		"quotes": {Data: []byte(strings.Repeat(`"`, 300000))},
		long:     {Data: []byte("package a\n")},
	}
	tasks, left := readAll(t, folder)
	require.Len(t, tasks, 1)
	assert.Equal(t, []File{{Path: "a.go", Text: "package a\n"}}, tasks[0].Files)
	reasons := map[string]string{}
	for _, l := range left {
		reasons[l.Path] = l.Reason
	}
	assert.Equal(t, map[string]string{
		"binary":       "binary",
		"data":         "1048577 bytes, more than 1048576",
		"link":         "not a regular file",
		"quotes":       "1200036 bytes as a task, more than 917504",
		long[:maxPath]: "path of 1204 bytes",
	}, reasons)
}

func TestCostIsWhatAFileAddsToARequest(t *testing.T) {
	t.Parallel()
	file := File{Path: `a"b`, Text: "<x>\t\"\\ \u2028 ö\xff"}
	more, err := file.cost()
	require.NoError(t, err)
	size := func(files ...File) int {
		text, err := Task{Files: files}.Encode()
		require.NoError(t, err)
		request, err := encode(text)
		require.NoError(t, err)
		return len(request)
	}
	assert.Equal(t, more, size(file, file)-size(file))
}

func TestATextThatIsNoTaskIsRefused(t *testing.T) {
	t.Parallel()
	_, err := Decode("count this")
	var syntax *json.SyntaxError
	require.ErrorAs(t, err, &syntax)
	require.ErrorContains(t, err, "task: ")
}

func TestAFolderThatIsNotThereIsAnError(t *testing.T) {
	t.Parallel()
	sub, err := fs.Sub(fstest.MapFS{}, "src")
	require.NoError(t, err)
	_, err = Open(sub)
	require.ErrorIs(t, err, fs.ErrNotExist)
}
