package ops_test

import (
	"bytes"
	"context"
	"encoding/json"
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
	"rookery/capsule/layout"
	hostv1 "rookery/proto/rookery/host/v1"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/hostlink"
	"rookery/worker/internal/hosttest"
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
	r := &rig{t: t, host: hosttest.Start(t, answers), log: &buffer{}, records: folder(t)}
	work := folder(t)
	r.work = work.Name()
	var err error
	r.trace, err = trace.Create(r.records, "ses_1", func(err error) { assert.NoError(t, err) })
	require.NoError(t, err)
	r.children = ops.NewChildren(r.trace, "evt_task")
	log := zerolog.New(zerolog.NewTestWriter(t))
	link, err := hostlink.Open(t.Context(), hostlink.Config{Path: r.host.Path, Log: log, Released: r.children.Released})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		require.NoError(t, link.Close(ctx))
	})
	r.Calls = ops.New(t.Context(), ops.Config{
		Assigned: assigned, DeadlineAt: time.UnixMilli(1_800_000_000_000), Link: link, Children: r.children,
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

func TestSelfTellsWhoTheCapsuleIs(t *testing.T) {
	t.Parallel()
	golden(t, "self.json", newRig(t, assignment(), hosttest.Answers{}).ask("self", "{}"))
}

func TestSelfOfACapsuleWithoutGrantsListsOnlyWhatItHas(t *testing.T) {
	t.Parallel()
	assigned := assignment()
	assigned.Grants, assigned.Limits.DeadlineMs = nil, 0
	golden(t, "self_bare.json", newRig(t, assigned, hosttest.Answers{}).ask("self", "{}"))
}

func TestSelfListsWhatIsOutstanding(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	first, second := r.started(), r.started()
	assert.Contains(t, r.ask("self", "{}"), `"outstanding":["`+first+`","`+second+`"]`)
	r.end(first, "")
	r.ask("await", `{"delegation_ids":["`+first+`"]}`)
	assert.Contains(t, r.ask("self", "{}"), `"outstanding":["`+second+`"]`)
}

func TestCallsThatAreRefused(t *testing.T) {
	t.Parallel()
	bare := assignment()
	bare.Grants = nil
	large := `{"capsule":"counter","version":"0.1.0","task":"` + strings.Repeat("x", 1<<20) + `"}`
	for name, c := range map[string]struct {
		assigned    *workerv1.AssignRequest
		op, request string
		want        string
	}{
		"an op that does not exist":          {nil, "share-file", "{}", `{"error":{"code":"unknown_op","message":"no op \"share-file\""}}`},
		"progress, which has no stream yet":  {nil, "progress", `{"message":"m"}`, `{"error":{"code":"unknown_op","message":"no op \"progress\""}}`},
		"delegate without the grant":         {bare, "delegate", "{}", `{"error":{"code":"not_granted","message":"delegate needs capabilities.spawn.allow in the manifest"}}`},
		"await without the grant":            {bare, "await", "{}", `{"error":{"code":"not_granted","message":"await needs capabilities.spawn.allow in the manifest"}}`},
		"end-delegation without the grant":   {bare, "end-delegation", "{}", `{"error":{"code":"not_granted","message":"end-delegation needs capabilities.spawn.allow in the manifest"}}`},
		"a field nobody knows":               {nil, "self", `{"verbose":true}`, `{"error":{"code":"bad_request","message":"unknown field \"verbose\""}}`},
		"a level nobody knows":               {nil, "log", `{"level":"loud","message":"m"}`, `{"error":{"code":"bad_request","message":"field \"level\" must be one of debug info warn error"}}`},
		"a request over 1 MiB":               {nil, "delegate", large, `{"error":{"code":"too_large","message":"the request is larger than the limit of 1048576 bytes","data":{"limit":1048576,"value":1048625}}}`},
		"a delegation without a task":        {nil, "delegate", `{"capsule":"counter","version":"0.1.0"}`, `{"error":{"code":"bad_request","message":"exactly one of the fields \"task\" and \"task_file\" must be there"}}`},
		"a delegation with two tasks":        {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task":"t","task_file":"f"}`, `{"error":{"code":"bad_request","message":"exactly one of the fields \"task\" and \"task_file\" must be there"}}`},
		"a delegation with files":            {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task":"t","files":[]}`, `{"error":{"code":"bad_request","message":"field \"files\": handing files to a child is not built yet"}}`},
		"a deadline of nothing":              {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task":"t","deadline_secs":0}`, `{"error":{"code":"bad_request","message":"field \"deadline_secs\" must be at least a thousandth"}}`},
		"a deadline before now":              {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task":"t","deadline_secs":-1}`, `{"error":{"code":"bad_request","message":"field \"deadline_secs\" must be between 0 and 1e+09"}}`},
		"an empty request key":               {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task":"t","request_key":""}`, `{"error":{"code":"bad_request","message":"field \"request_key\" must have 1 to 256 bytes"}}`},
		"a task file that is not there":      {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task_file":"none"}`, `{"error":{"code":"not_found","message":"no file \"none\" in the work folder"}}`},
		"a task file outside":                {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task_file":"../x"}`, `{"error":{"code":"bad_request","message":"field \"task_file\": open ../x: not a plain relative path"}}`},
		"awaiting a delegation of nobody":    {nil, "await", `{"delegation_ids":["dlg_x"]}`, `{"error":{"code":"not_found","message":"no delegation \"dlg_x\" in this session"}}`},
		"a timeout before now":               {nil, "await", `{"timeout_secs":-1}`, `{"error":{"code":"bad_request","message":"field \"timeout_secs\" must be between 0 and 1e+09"}}`},
		"ending what the supervisor refuses": {nil, "end-delegation", `{"delegation_id":"dlg_x"}`, `{"error":{"code":"not_found","message":"no such delegation"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assigned := c.assigned
			if assigned == nil {
				assigned = assignment()
			}
			r := newRig(t, assigned, hosttest.Answers{})
			assert.Equal(t, c.want, r.ask(c.op, c.request))
			assert.Empty(t, r.host.Calls().Delegate)
		})
	}
}

func TestLogPutsOneMessageIntoTheGuestsLog(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	assert.Equal(t, `{"ok":{}}`, r.ask("log", `{"level":"warn","message":"one\ntwo\n"}`))
	assert.Equal(t, "[warn] one\n  two\n", r.log.String())
}

// FuzzCall holds every op to its promise whatever the request: one JSON object with
// ok or error in it.
func FuzzCall(f *testing.F) {
	for _, name := range []string{"self", "log", "delegate", "await", "end-delegation", "none"} {
		f.Add(name, []byte(`{"capsule":"c","version":"1","task":"t","delegation_ids":[],"level":"info","message":"m"}`))
	}
	f.Fuzz(func(t *testing.T, name string, request []byte) {
		assigned := assignment()
		assigned.Grants = nil // what would reach a supervisor is not this target's subject
		children := ops.NewChildren(nil, "")
		calls := ops.New(t.Context(), ops.Config{Assigned: assigned, Children: children, GuestLog: &buffer{}, Log: zerolog.Nop()})
		var answer map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(calls.Call(t.Context(), name, request), &answer))
		assert.Len(t, answer, 1)
		assert.True(t, answer["ok"] != nil || answer["error"] != nil)
	})
}
