package tasks_test

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/beneath"
	"rookery/capsule/handle"
	"rookery/capsule/layout"
	"rookery/capsule/linelog"
	"rookery/capsule/outcome"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/egress"
	"rookery/worker/internal/hosttest"
	"rookery/worker/tasks"
)

// patience bounds every wait of these tests; none needs it.
const patience = 15 * time.Second

// code is an executor of a test: Go code in a capsule's place.
type code func(ctx context.Context, w tasks.Work, ops tasks.Ops) tasks.Result

func (c code) Run(ctx context.Context, w tasks.Work, ops tasks.Ops) tasks.Result {
	return c(ctx, w, ops)
}

// rig is a session with real folders, a real supervisor socket and a real door.
type rig struct {
	tasks.Config
	t    *testing.T
	host *hosttest.Host
	url  string

	mu     sync.Mutex // guards exited
	exited []int
}

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

func guestLog(t *testing.T, dir *beneath.Dir, name string) *linelog.Log {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir.Name(), name), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	require.NoError(t, err)
	log := linelog.New(file, linelog.DefaultMaxBytes, linelog.DefaultMaxLine)
	t.Cleanup(func() { log.Close() })
	return log
}

func newRig(t *testing.T, executor tasks.Executor) *rig {
	t.Helper()
	r := &rig{t: t, host: hosttest.Start(t, hosttest.Answers{})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	r.url = "http://" + listener.Addr().String()
	logs := folder(t)
	r.Config = tasks.Config{
		Assigned: &workerv1.AssignRequest{
			Session: &workerv1.Session{
				SessionId: "ses_1", Capsule: "local/census", Version: "0.1.0", Url: r.url, Depth: 3,
				RecordsDir: "/state/records", Workdir: "/state/work",
			},
			Task:   &workerv1.Task{TaskId: "tsk_1", ContextId: "ctx_1", MessageId: "msg_1", Text: "count"},
			Limits: &workerv1.Limits{DeadlineMs: 600_000, OrphanTimeoutMs: 600_000},
			Grants: &workerv1.Grants{SpawnAllow: []string{"counter"}},
		},
		Load: func() (tasks.Executor, error) { return executor, nil },
		Door: listener, HostSock: r.host.Path,
		Work: folder(t), Runtime: folder(t), Records: folder(t),
		Stdout: guestLog(t, logs, "stdout"), Stderr: guestLog(t, logs, "stderr"),
		Post: egress.New(), Containment: "advisory", Log: zerolog.New(zerolog.NewTestWriter(t)),
	}
	return r
}

// delegated makes the session one that somebody delegated.
func (r *rig) delegated(url string) *rig {
	r.Assigned.Spawner = handle.Spawner{SessionID: "ses_0", ContextID: "ctx_0", DelegationID: "dlg_1", URL: url}.EnvValue()
	return r
}

func (r *rig) session() (*tasks.Session, context.Context) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	r.t.Cleanup(cancel)
	r.Exit = func(code int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.exited = append(r.exited, code)
		cancel() // in the process's place
	}
	s, err := tasks.New(r.Config)
	require.NoError(r.t, err)
	return s, ctx
}

// run lives the session to its end.
func (r *rig) run() int {
	r.t.Helper()
	s, ctx := r.session()
	return s.Run(ctx)
}

func (r *rig) exits() []int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.exited
}

// end reads end.json, which must be there, alone.
func (r *rig) end() outcome.End {
	r.t.Helper()
	assert.NoFileExists(r.t, filepath.Join(r.Records.Name(), outcome.CompletionFile), "nobody delegated it")
	end, found, err := outcome.ReadEnd(r.Records)
	require.NoError(r.t, err)
	require.True(r.t, found)
	end.DurationMS = 0
	return end
}

// completion reads completion.json, which must be there, alone.
func (r *rig) completion() outcome.Record {
	r.t.Helper()
	assert.NoFileExists(r.t, filepath.Join(r.Records.Name(), outcome.EndFile), "it is no root")
	record, found, err := outcome.ReadRecord(r.Records)
	require.NoError(r.t, err)
	require.True(r.t, found)
	record.DurationMS = 0
	return record
}

// unrecorded holds that there is no record of any kind.
func (r *rig) unrecorded() {
	r.t.Helper()
	for _, name := range []string{outcome.EndFile, outcome.CompletionFile} {
		assert.NoFileExists(r.t, filepath.Join(r.Records.Name(), name))
	}
}

func (r *rig) read(dir *beneath.Dir, name string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(dir.Name(), name))
	require.NoError(r.t, err)
	return string(data)
}

// events is the trace's event types, each with its exit status or outcome.
func (r *rig) events() []string {
	r.t.Helper()
	var all []string
	for line := range strings.Lines(r.read(r.Records, layout.TraceFile)) {
		var e struct {
			EventType  string `json:"event_type"`
			ExitStatus string `json:"exit_status"`
			Outcome    string `json:"outcome"`
		}
		require.NoError(r.t, json.Unmarshal([]byte(line), &e), line)
		all = append(all, strings.TrimSpace(e.EventType+" "+e.ExitStatus+e.Outcome))
	}
	return all
}

// answer writes the guest's answer into its work folder.
func (r *rig) answer(text string) {
	assert.NoError(r.t, os.WriteFile(filepath.Join(r.Work.Name(), layout.ResultFile), []byte(text), 0o600))
}

func good(context.Context, tasks.Work, tasks.Ops) tasks.Result { return tasks.Result{} }
