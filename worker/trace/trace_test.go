package trace_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/beneath"
	"rookery/capsule/id"
	"rookery/capsule/layout"
	"rookery/capsule/redact"
	"rookery/worker/trace"
)

const handle = "mh1.eyJ2IjogMSwgIm4iOiAiMTQ4MzQwOTUifQ.7TGmF0aWJuLP0mXCY92nwBR_PmswYG-E5owen30sVX0"

func folder(t *testing.T) *beneath.Dir {
	t.Helper()
	path, err := os.MkdirTemp("", "rk")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(path)) })
	dir, err := beneath.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { dir.Close() })
	return dir
}

func create(t *testing.T, dir *beneath.Dir) *trace.Writer {
	t.Helper()
	w, err := trace.Create(dir, "ses_1", func(err error) { assert.NoError(t, err) })
	require.NoError(t, err)
	return w
}

func text(t *testing.T, dir *beneath.Dir) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir.Name(), layout.TraceFile))
	require.NoError(t, err)
	return string(data)
}

// changing matches what differs from run to run.
var changing = regexp.MustCompile(`evt_[0-9a-f]{32}|"timestamp":\d+`)

func stable(s string) string {
	seen := map[string]string{}
	return changing.ReplaceAllStringFunc(s, func(m string) string {
		if strings.HasPrefix(m, `"timestamp"`) {
			return `"timestamp":0`
		}
		if seen[m] == "" {
			seen[m] = "evt_" + string(rune('a'+len(seen)))
		}
		return seen[m]
	})
}

func TestATraceIsWrittenAsOthersReadIt(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	w := create(t, dir)
	session := w.Emit("", trace.SessionStart{
		CapsuleName: "census", CapsuleVersion: "0.1.0", ContainmentAchieved: "advisory", ContextID: "ctx_1",
		SpawnedBy: "ses_0", DelegationID: "dlg_0",
		EffectiveGrants: trace.Grants{SpawnAllow: []string{"counter"}, EnvAllow: []string{}, ReadOnlyPaths: []string{"keep"}, Preopens: []string{"data", "more:rw"}},
	})
	task := w.Emit(session, trace.TaskStart{
		TaskID: "tsk_1", ContextID: "ctx_1", Source: "task_md", Origin: "peer", Trust: "untrusted", Lane: "peer", MessagePartsBytes: 4,
	})
	w.Emit(task, trace.DelegationStart{DelegationID: "dlg_1", Capsule: "counter", Version: "0.1.0", ChildSessionID: "ses_2"})
	delegation, child, reason := "dlg_1", "ses_2", "exit 3"
	w.Emit(task, trace.Delegation{
		Capsule: "counter", Version: "0.1.0", DelegationID: &delegation, ChildSessionID: &child,
		DurationMS: 7, Outcome: "error", Reason: &reason,
	})
	w.Emit(task, trace.Delegation{Capsule: "other", Version: "1.0.0", Outcome: "refused"})
	w.Emit(task, trace.AccessRefused{Op: "path_open", Path: "../\n", Errno: "notcapable"})
	w.Emit(task, trace.AccessRefused{Op: "fd_write", Errno: "dquot", Dropped: 7})
	w.Emit(task, trace.TaskEnd{TaskID: "tsk_1", ExitStatus: "failed", DurationMS: 9, Detail: "exit 1"})
	w.Emit(session, trace.SessionEnd{DurationMS: 10, ExitStatus: "failed"})
	require.NoError(t, w.Close())

	want, err := os.ReadFile(filepath.Join("testdata", "trace.jsonl"))
	require.NoError(t, err)
	assert.Equal(t, string(want), stable(text(t, dir)))
}

func TestAHandleInAnEventIsRedacted(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	w := create(t, dir)
	w.Emit("", trace.TaskEnd{TaskID: "tsk_1", ExitStatus: "failed", Detail: "could not fetch " + handle})
	require.NoError(t, w.Close())
	assert.NotContains(t, text(t, dir), handle)
	assert.Contains(t, text(t, dir), redact.HandleID(handle))
}

func TestLinesOfManyGoroutinesStayWhole(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	w := create(t, dir)
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range 50 {
				assert.True(t, id.Event.Valid(w.Emit("evt_x", trace.SessionEnd{ExitStatus: "ok"})))
			}
		})
	}
	writers.Wait()
	require.NoError(t, w.Close())
	lines := strings.Split(strings.TrimSuffix(text(t, dir), "\n"), "\n")
	assert.Len(t, lines, 400)
	for _, line := range lines {
		assert.True(t, json.Valid([]byte(line)), line)
	}
}

func TestTheFirstFailureIsReportedOnce(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	var failures []error
	w, err := trace.Create(dir, "ses_1", func(err error) { failures = append(failures, err) })
	require.NoError(t, err)
	require.NoError(t, w.Close()) // what is written now fails, as on a full disk
	w.Emit("", trace.SessionEnd{})
	w.Emit("", trace.SessionEnd{})
	require.Len(t, failures, 1)
	assert.ErrorContains(t, failures[0], trace.Code)
	assert.ErrorIs(t, failures[0], os.ErrClosed)
}

func TestATraceThatIsThereAlreadyIsNotTouched(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(path string) error{
		"a file": func(path string) error { return os.WriteFile(path, []byte("old\n"), 0o600) },
		"a link": func(path string) error { return os.Symlink("elsewhere", path) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := folder(t)
			require.NoError(t, plant(filepath.Join(dir.Name(), layout.TraceFile)))
			_, err := trace.Create(dir, "ses_1", func(error) {})
			assert.ErrorContains(t, err, trace.Code)
		})
	}
}
