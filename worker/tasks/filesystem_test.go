package tasks_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/proto/plugin"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/tasks"
)

func TestTheCodeIsToldItsFoldersAndItsRefusalsAreTraced(t *testing.T) {
	t.Parallel()
	var got tasks.Work
	r := newRig(t, code(func(_ context.Context, w tasks.Work, _ tasks.Ops) tasks.Result {
		got = w
		for range 30 {
			w.Refused("path_open", "../x", "notcapable")
		}
		return tasks.Result{}
	}))
	require.NoError(t, os.WriteFile(filepath.Join(r.Work.Name(), "file"), nil, 0o600))
	r.Assigned.Filesystem = &workerv1.Filesystem{
		ReadOnly: []string{"file", "new/deep"},
		Mounts:   []*workerv1.Mount{{Guest: "data", ReadOnly: true}, {Guest: "more"}},
	}
	r.Assigned.Limits.WorkdirMaxBytes, r.Assigned.Limits.WorkdirMaxFiles = 5, 6
	r.Mounts = []int{40, 41}
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, outcome.OK, r.end().Status)

	assert.Equal(t, []string{"file", "new/deep"}, got.ReadOnly)
	assert.DirExists(t, filepath.Join(r.Work.Name(), "new/deep"), "made, so that the guest cannot be the first to")
	assert.Equal(t, []tasks.Mount{{FD: 40, Guest: "data", ReadOnly: true}, {FD: 41, Guest: "more"}}, got.Mounts)
	assert.EqualValues(t, 5, got.WorkBytes)
	assert.EqualValues(t, 6, got.WorkFiles)
	trace := r.read(r.Records, "trace.jsonl")
	assert.Equal(t, 21, strings.Count(trace, `"event_type":"access_refused"`))
	assert.Contains(t, trace, `"op":"path_open","path":"../x","errno":"notcapable","dropped":9}`)
	assert.Contains(t, trace, `"read_only_paths":["file","new/deep"],"preopens":["data","more:rw"]`)
}

func TestAReadOnlyPathBehindALinkEndsTheTask(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(good))
	outside := folder(t).Name()
	require.NoError(t, os.Symlink(outside, filepath.Join(r.Work.Name(), "keep")))
	r.Assigned.Filesystem = &workerv1.Filesystem{ReadOnly: []string{"keep/new"}}
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Contains(t, r.end().Detail, "could not prepare the work folder: ")
	assert.NoDirExists(t, filepath.Join(outside, "new"))
}

func TestMountsWithoutTheirDescriptorsRefuseTheSession(t *testing.T) {
	t.Parallel()
	r := newRig(t, code(good))
	r.Assigned.Filesystem = &workerv1.Filesystem{Mounts: []*workerv1.Mount{{Guest: "data"}}}
	_, err := tasks.New(r.Config)
	assert.Equal(t, errors.New("1 mounts and 0 descriptors of mounts"), err)
}
