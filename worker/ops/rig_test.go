package ops_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/beneath"
	"rookery/capsule/layout"
	hostv1 "rookery/proto/rookery/host/v1"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/hostlink"
	"rookery/worker/internal/hosttest"
	"rookery/worker/internal/live"
	"rookery/worker/ops"
	"rookery/worker/trace"
)

// patience bounds every wait of these tests; none needs it.
const patience = 10 * time.Second

// rig is one task's ops with a supervisor of the test's behind them.
type rig struct {
	*ops.Calls
	t        *testing.T
	host     *hosttest.Host
	children *ops.Children
	events   *ops.Events
	task     *live.Task
	pieces   *ops.Artifacts
	work     string
	log      *buffer
	records  *beneath.Dir
	trace    *trace.Writer
}

// buffer is a bytes.Buffer for two goroutines.
type buffer struct {
	mu   sync.Mutex // guards data
	data bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.String()
}

func assignment() *workerv1.AssignRequest {
	return &workerv1.AssignRequest{
		Session: &workerv1.Session{SessionId: "ses_1", Capsule: "census", Version: "0.1.0", Url: "http://127.0.0.1:7"},
		Task:    &workerv1.Task{TaskId: "tsk_1", ContextId: "ctx_1", MessageId: "msg_1", Text: "count"},
		Limits:  &workerv1.Limits{MemoryBytes: 512 << 20, TableElements: 100_000, DeadlineMs: 600_000},
		Grants:  &workerv1.Grants{SpawnAllow: []string{"counter"}, DelegationDeadlineMs: 60_000},
	}
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

func newRig(t *testing.T, assigned *workerv1.AssignRequest, answers hosttest.Answers) *rig {
	t.Helper()
	return newOps(t, assigned, answers, true)
}

// newRoot is newRig for a session that nobody has delegated.
func newRoot(t *testing.T, assigned *workerv1.AssignRequest, answers hosttest.Answers) *rig {
	t.Helper()
	return newOps(t, assigned, answers, false)
}

func newOps(t *testing.T, assigned *workerv1.AssignRequest, answers hosttest.Answers, delegated bool) *rig {
	t.Helper()
	r := &rig{t: t, host: hosttest.Start(t, answers), log: &buffer{}, records: folder(t)}
	work := folder(t)
	r.work = work.Name()
	var err error
	r.trace, err = trace.Create(r.records, "ses_1", func(err error) { assert.NoError(t, err) })
	require.NoError(t, err)
	r.children = ops.NewChildren(r.trace, "evt_task")
	log := zerolog.New(zerolog.NewTestWriter(t))
	r.events, r.task, r.pieces = ops.NewEvents(), live.New("tsk_1", "ctx_1"), ops.NewArtifacts(r.records, "tsk_1")
	link, err := hostlink.Open(t.Context(), hostlink.Config{
		Path: r.host.Path, Log: log, Released: r.children.Released, Arrived: r.events.Arrived, Progress: r.events.Progressed,
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, link.Close(ctx))
	})
	r.Calls = ops.New(t.Context(), ops.Config{
		Assigned: assigned, DeadlineAt: time.UnixMilli(1_800_000_000_000), Link: link, Children: r.children,
		Events: r.events, Task: r.task, Artifacts: r.pieces, Trace: r.trace, Event: "evt_task", Delegated: delegated,
		Stop: func(cause string) { r.Cancel(cause) },
		Work: work, GuestLog: r.log, Log: log,
	})
	return r
}

// ask makes one call, which must end in time.
func (r *rig) ask(op, request string) string {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	answer := r.Call(ctx, op, []byte(request))
	require.NoError(r.t, ctx.Err(), "%s %s", op, request)
	return string(answer)
}

// started delegates and returns the new id.
func (r *rig) started() string {
	r.t.Helper()
	var answer struct {
		OK struct {
			DelegationID string `json:"delegation_id"`
		} `json:"ok"`
	}
	text := r.ask("delegate", `{"capsule":"counter","version":"0.1.0","task":"t"}`)
	require.NoError(r.t, json.Unmarshal([]byte(text), &answer))
	require.NotEmpty(r.t, answer.OK.DelegationID, text)
	return answer.OK.DelegationID
}

func (r *rig) end(delegationID, result string) {
	r.host.Release("tsk_1", &hostv1.Outcome{
		DelegationId: delegationID, Capsule: "counter", Version: "0.1.0", Status: "ok", DurationMs: 5,
		ResultState: "text", Result: result, Message: "m",
	})
}

func (r *rig) traced() string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.records.Name(), layout.TraceFile))
	require.NoError(r.t, err)
	return string(data)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, []byte(got), "", "  "))
	assert.Equal(t, string(want), pretty.String()+"\n")
}
