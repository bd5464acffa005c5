package ops_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/internal/hosttest"
	"rookery/worker/internal/live"
	"rookery/worker/ops"
	"rookery/worker/trace"
)

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
		"an op that does not exist":          {nil, "Self", "{}", `{"error":{"code":"unknown_op","message":"no op \"Self\""}}`},
		"an op that does not exist yet":      {nil, "share-file", "{}", `{"error":{"code":"unknown_op","message":"share-file is not built yet"}}`},
		"delegate without the grant":         {bare, "delegate", "{}", `{"error":{"code":"not_granted","message":"delegate needs capabilities.spawn.allow in the manifest"}}`},
		"await without the grant":            {bare, "await", "{}", `{"error":{"code":"not_granted","message":"await needs capabilities.spawn.allow in the manifest"}}`},
		"end-delegation without the grant":   {bare, "end-delegation", "{}", `{"error":{"code":"not_granted","message":"end-delegation needs capabilities.spawn.allow in the manifest"}}`},
		"a field nobody knows":               {nil, "self", `{"verbose":true}`, `{"error":{"code":"bad_request","message":"unknown field \"verbose\""}}`},
		"a level nobody knows":               {nil, "log", `{"level":"loud","message":"m"}`, `{"error":{"code":"bad_request","message":"field \"level\" must be one of debug info warn error"}}`},
		"a field that is missing":            {nil, "end-delegation", `{}`, `{"error":{"code":"bad_request","message":"field \"delegation_id\" is missing"}}`},
		"a request over 1 MiB":               {nil, "delegate", large, `{"error":{"code":"too_large","message":"the request is larger than the limit of 1048576 bytes","data":{"limit":1048576,"value":1048625}}}`},
		"a delegation without a task":        {nil, "delegate", `{"capsule":"counter","version":"0.1.0"}`, `{"error":{"code":"bad_request","message":"exactly one of the fields \"task\" and \"task_file\" must be there"}}`},
		"a delegation with two tasks":        {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task":"t","task_file":"f"}`, `{"error":{"code":"bad_request","message":"exactly one of the fields \"task\" and \"task_file\" must be there"}}`},
		"a delegation with files":            {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task":"t","files":[]}`, `{"error":{"code":"bad_request","message":"field \"files\": handing files to a child is not built yet"}}`},
		"a deadline of nothing":              {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task":"t","deadline_secs":0}`, `{"error":{"code":"bad_request","message":"field \"deadline_secs\" must be between 0.001 and 1e+09"}}`},
		"a deadline before now":              {nil, "delegate", `{"capsule":"counter","version":"0.1.0","task":"t","deadline_secs":-1}`, `{"error":{"code":"bad_request","message":"field \"deadline_secs\" must be between 0.001 and 1e+09"}}`},
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
	for _, r := range ops.References() {
		f.Add(r.Name, []byte(`{"capsule":"c","version":"1","task":"t","delegation_ids":[],"level":"info","message":"m"}`))
		f.Add(r.Name, []byte(`{"parts":[{"text":"t"},{"data":[1]},{"url":"http://x"},{"file":"f"}],"state":"failed","timeout_secs":0,"prompt":"p"}`))
	}
	f.Fuzz(func(t *testing.T, name string, request []byte) {
		assigned := assignment()
		assigned.Grants = nil // what would reach a supervisor is not this target's subject
		records := folder(t)
		w, err := trace.Create(records, "ses_1", func(err error) { assert.NoError(t, err) })
		require.NoError(t, err)
		pieces := ops.NewArtifacts(records, "tsk_1")
		var calls *ops.Calls
		calls = ops.New(t.Context(), ops.Config{
			Assigned: assigned, Children: ops.NewChildren(w, ""), Events: ops.NewEvents(), Task: live.New("tsk_1", "ctx_1"),
			Artifacts: pieces, Trace: w, Stop: func(cause string) { calls.Cancel(cause) }, Work: folder(t),
			GuestLog: &buffer{}, Log: zerolog.Nop(),
		})
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond) // what may wait, does
		defer cancel()
		var answer map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(calls.Call(ctx, name, request), &answer))
		require.NoError(t, pieces.Close())
		require.NoError(t, w.Close())
		assert.Len(t, answer, 1)
		assert.True(t, answer["ok"] != nil || answer["error"] != nil)
	})
}
