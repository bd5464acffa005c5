package ops_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"rookery/capsule/id"
	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/worker/internal/hosttest"
)

type awaited struct {
	OK struct {
		Outcomes []struct {
			DelegationID string `json:"delegation_id"`
		} `json:"outcomes"`
		Outstanding []string `json:"outstanding"`
		Next        uint64   `json:"next"`
	} `json:"ok"`
	Error *struct {
		Code string `json:"code"`
	} `json:"error"`
}

func (r *rig) await(request string) awaited {
	r.t.Helper()
	var a awaited
	text := r.ask("await", request)
	require.NoError(r.t, json.Unmarshal([]byte(text), &a), text)
	require.Nil(r.t, a.Error, text)
	return a
}

func (a awaited) ids() []string {
	ids := []string{}
	for _, o := range a.OK.Outcomes {
		ids = append(ids, o.DelegationID)
	}
	return ids
}

func TestDelegateSendsTheWholeRequestAndAnswersStarted(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{
		Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
			return &hostv1.DelegateResponse{
				DelegationId: "dlg_1", SessionId: "ses_2", Url: "http://127.0.0.1:8", Capsule: "counter", Version: "0.1.0",
			}, nil
		},
	})
	golden(t, "delegate.json", r.ask("delegate", `{"capsule":"counter","version":"0.1.0","task":"t","deadline_secs":1.5}`))
	request := r.host.Calls().Delegate[0]
	assert.True(t, id.Request.Valid(request.GetRequestId()))
	request.RequestId = ""
	assert.True(t, proto.Equal(&hostv1.DelegateRequest{
		TaskId: "tsk_1", ContextId: "ctx_1", Capsule: "counter", Version: "0.1.0", Task: "t", DeadlineMs: 1500,
	}, request))
	assert.Contains(t, r.traced(), `"parent_id":"evt_task"`)
	assert.Contains(t, r.traced(), `"delegation_id":"dlg_1","capsule":"counter","version":"0.1.0","child_session_id":"ses_2"`)
}

func TestARequestKeyMakesTheRequestIDStable(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	ask := func(key string) string {
		return r.ask("delegate", `{"capsule":"counter","version":"0.1.0","task":"t","request_key":"`+key+`"}`)
	}
	first, again, other := ask("a"), ask("a"), ask("b")
	assert.Equal(t, first, again)
	assert.NotEqual(t, first, other)
	sent := r.host.Calls().Delegate
	assert.Equal(t, sent[0].GetRequestId(), sent[1].GetRequestId())
	assert.NotEqual(t, sent[0].GetRequestId(), sent[2].GetRequestId())
	assert.True(t, id.Request.Valid(sent[0].GetRequestId()))
	assert.Len(t, r.children.Outstanding(), 2)
	assert.Equal(t, 2, strings.Count(r.traced(), `"delegation_start"`))
}

func TestATaskFileIsReadBeneathTheWorkFolder(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(r.work, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(r.work, "in"), 0o700))
	write("in/task.md", "from a file")
	write("large", strings.Repeat("x", 1<<20+1))
	write("latin", "\xff")
	require.NoError(t, os.Symlink("in/task.md", filepath.Join(r.work, "link")))
	require.NoError(t, unix.Mkfifo(filepath.Join(r.work, "pipe"), 0o600))
	ask := func(file string) string {
		return r.ask("delegate", `{"capsule":"counter","version":"0.1.0","task_file":"`+file+`"}`)
	}
	assert.Contains(t, ask("in/task.md"), `"status":"started"`)
	assert.Equal(t, "from a file", r.host.Calls().Delegate[0].GetTask())
	assert.Contains(t, ask("large"), `"code":"too_large"`)
	assert.Contains(t, ask("latin"), `"code":"bad_request"`)
	assert.Contains(t, ask("link"), `"code":"bad_request"`)
	assert.Contains(t, ask("pipe"), `"code":"bad_request"`)
	assert.Contains(t, ask("in"), `"code":"bad_request"`)
	assert.Len(t, r.host.Calls().Delegate, 1)
}

func TestARefusalReachesTheGuestWithItsLimit(t *testing.T) {
	t.Parallel()
	refusal := &hostv1.Refusal{Code: "rate_limit", Limit: 120, Value: 121, RetryAfterMs: 500}
	r := newRig(t, assignment(), hosttest.Answers{
		Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
			return nil, hosttest.Refuse(codes.ResourceExhausted, "too many spawns", refusal)
		},
	})
	golden(t, "refused.json", r.ask("delegate", `{"capsule":"counter","version":"0.1.0","task":"t"}`))
	assert.Contains(t, r.traced(),
		`"delegation_id":null,"child_session_id":null,"duration_ms":0,"outcome":"refused","reason":"too many spawns"`)
	assert.False(t, r.children.Unsettled())
}

func TestAHostThatFailsIsToldInOneWord(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{
		Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
			return nil, status.Error(codes.Internal, "open /secret/path: no")
		},
	})
	golden(t, "internal.json", r.ask("delegate", `{"capsule":"counter","version":"0.1.0","task":"t"}`))
	assert.True(t, r.children.Unsettled(), "the child may run for all that is known")
}

func TestDelegateWithWaitAnswersTheOutcomeAndRingsNoDoor(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	r := newRig(t, assignment(), hosttest.Answers{
		Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
			defer close(asked)
			return &hostv1.DelegateResponse{DelegationId: "dlg_1", Capsule: "counter", Version: "0.1.0"}, nil
		},
	})
	answer := make(chan string, 1)
	go func() {
		answer <- string(r.Call(t.Context(), "delegate", []byte(`{"capsule":"counter","version":"0.1.0","task":"t","wait":true}`)))
	}()
	<-asked
	r.host.Release("tsk_1", &hostv1.Outcome{
		DelegationId: "dlg_1", Capsule: "counter", Version: "0.1.0", Status: "error", DurationMs: 12, Detail: "exit 3",
		ResultState: "text", Result: "a<b>", Truncated: true, Whole: "delegations/dlg_1.txt", Message: "told",
	})
	golden(t, "outcome.json", <-answer)
	assert.True(t, r.host.Calls().Delegate[0].GetLineageOnly())
	assert.Contains(t, r.traced(), `"duration_ms":12,"outcome":"error","reason":"exit 3"`)
}

func TestAwaitWaitsForAllOrForAny(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	a, b := r.started(), r.started()
	nothing := r.await(`{"timeout_secs":0}`)
	assert.Equal(t, []string{}, nothing.ids())
	assert.Equal(t, []string{a, b}, nothing.OK.Outstanding)

	r.end(b, "two")
	one := r.await(`{"any":true}`)
	assert.Equal(t, []string{b}, one.ids())
	assert.Equal(t, []string{a}, one.OK.Outstanding)
	assert.Zero(t, one.OK.Next)
	assert.Equal(t, []string{b}, r.await(`{"delegation_ids":["`+b+`","`+b+`"]}`).ids(), "an id named twice counts once")

	r.end(a, "one")
	all := r.await(`{}`)
	assert.Equal(t, []string{b, a}, all.ids(), "in the order of release")
	assert.Equal(t, []string{}, all.OK.Outstanding)
	assert.Equal(t, all, r.await(`{}`), "a read can be repeated")
	assert.Equal(t, []string{a}, r.await(`{"after":1}`).ids())
	assert.Equal(t, []string{}, r.await(`{"delegation_ids":[]}`).ids())
	assert.Equal(t, 2, strings.Count(r.traced(), `"event_type":"delegation"`))
}

func TestAwaitGivesUpAfterItsTimeout(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	a := r.started()
	before := time.Now()
	got := r.await(`{"timeout_secs":0.05}`)
	assert.GreaterOrEqual(t, time.Since(before), 50*time.Millisecond)
	assert.Equal(t, []string{a}, got.OK.Outstanding)
}

func TestManyOutcomesComeInPages(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	var want []string
	for range 20 {
		want = append(want, r.started())
	}
	for _, key := range want {
		r.end(key, "")
	}
	first := r.await(`{}`)
	assert.Len(t, first.ids(), 16)
	assert.EqualValues(t, 16, first.OK.Next)
	second := r.await(fmt.Sprintf(`{"after":%d}`, first.OK.Next))
	assert.Zero(t, second.OK.Next)
	assert.Equal(t, want, append(first.ids(), second.ids()...))
}

func TestLargeOutcomesComeInSmallerPagesButNeverInNone(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	var want []string
	for _, size := range []int{700 << 10, 300 << 10, 700 << 10, 1100 << 10} {
		want = append(want, r.started())
		r.end(want[len(want)-1], strings.Repeat("x", size))
	}
	var got, pages []string
	for after := uint64(0); ; {
		page := r.await(fmt.Sprintf(`{"after":%d}`, after))
		got = append(got, page.ids()...)
		pages = append(pages, fmt.Sprint(len(page.ids())))
		if after = page.OK.Next; after == 0 {
			break
		}
	}
	assert.Equal(t, want, got)
	assert.Equal(t, []string{"2", "1", "1"}, pages)
}

func TestEndDelegationAnswersTheOutcome(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{End: func(_ context.Context, key string) (*hostv1.Outcome, error) {
		return &hostv1.Outcome{DelegationId: key, Status: "terminated", Detail: "ended by the parent"}, nil
	}})
	a := r.started()
	assert.Contains(t, r.ask("end-delegation", `{"delegation_id":"`+a+`"}`), `"status":"terminated","duration_ms":0,"detail":"ended by the parent"`)
	assert.Equal(t, []string{a}, r.host.Calls().End)
	after := r.await(`{}`)
	assert.Empty(t, after.ids(), "it was told already")
	assert.Empty(t, after.OK.Outstanding)
	assert.Contains(t, r.ask("self", `{}`), `"outstanding":[]`)
	assert.Contains(t, r.traced(), `"outcome":"terminated","reason":"ended by the parent"`)
	assert.False(t, r.children.Unsettled())
}

func TestACancelEndsTheBlockedOpOnceAndLetsTheGuestLeaveAnAnswer(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	a := r.started()
	blocked := make(chan string, 1)
	go func() { blocked <- string(r.Call(t.Context(), "await", []byte(`{}`))) }()
	r.Cancel("enough")
	const told = `{"error":{"code":"canceled","message":"this capsule is being ended"}}`
	assert.Equal(t, told, <-blocked)
	assert.Equal(t, `{"ok":{}}`, r.ask("log", `{"level":"info","message":"leaving"}`))
	assert.Contains(t, r.ask("self", `{}`), `"cancel_requested":true`)
	assert.Equal(t, []string{a}, r.await(`{}`).OK.Outstanding, "it looks and does not wait")
	assert.Equal(t, told, r.ask("delegate", `{"capsule":"counter","version":"0.1.0","task":"t"}`))
	assert.Len(t, r.host.Calls().Delegate, 1)
}

func TestACancelWhileNothingBlocksIsToldByTheNextOp(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	r.Cancel("enough")
	assert.Contains(t, r.ask("log", `{"level":"info","message":"m"}`), `"canceled"`)
	assert.Contains(t, r.ask("log", `{"level":"info","message":"m"}`), `"ok"`)
}

func TestACancelReachesAGuestThatWaitsForItsSupervisor(t *testing.T) {
	t.Parallel()
	r := newRig(t, assignment(), hosttest.Answers{})
	r.host.Stop()
	blocked := make(chan string, 1)
	go func() {
		blocked <- string(r.Call(t.Context(), "delegate", []byte(`{"capsule":"counter","version":"0.1.0","task":"t"}`)))
	}()
	r.Cancel("enough")
	assert.Contains(t, <-blocked, `"canceled"`)
}

func TestAnOutcomeThatBeatsItsOwnStartIsKept(t *testing.T) {
	t.Parallel()
	var r *rig
	ready := make(chan struct{})
	r = newRig(t, assignment(), hosttest.Answers{
		Delegate: func(context.Context, *hostv1.DelegateRequest) (*hostv1.DelegateResponse, error) {
			<-ready
			r.end("dlg_1", "")
			assert.Eventually(t, func() bool { return len(r.host.Calls().Acknowledged) == 1 }, patience, time.Millisecond)
			return &hostv1.DelegateResponse{DelegationId: "dlg_1", SessionId: "ses_2", Capsule: "counter", Version: "0.1.0"}, nil
		},
	})
	close(ready)
	assert.Equal(t, "dlg_1", r.started())
	assert.Equal(t, []string{"dlg_1"}, r.await(`{}`).ids())
	assert.Empty(t, r.children.Outstanding())
	start, end := strings.Index(r.traced(), `"delegation_start"`), strings.Index(r.traced(), `"event_type":"delegation",`)
	assert.True(t, start >= 0 && start < end, r.traced())
}
