package tasks_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"rookery/capsule/outcome"
	"rookery/proto/plugin"
	"rookery/worker/tasks"
)

// says is a guest that makes these calls, prints, and ends as given.
func says(t *testing.T, result tasks.Result, calls ...string) code {
	t.Helper()
	return func(ctx context.Context, w tasks.Work, ops tasks.Ops) tasks.Result {
		_, _ = w.Stdout.Write([]byte("printed"))
		for _, call := range calls {
			op, request, _ := strings.Cut(call, " ")
			assert.Contains(t, string(ops.Call(ctx, op, []byte(request))), `{"ok":`, call)
		}
		return result
	}
}

func TestATaskThatSaysHowItEndsIsBelievedUnlessItTraps(t *testing.T) {
	t.Parallel()
	exited := func(detail string) tasks.Result { return tasks.Result{Exited: true, Detail: detail} }
	for name, c := range map[string]struct {
		result tasks.Result
		finish string
		status outcome.Status
		detail string
	}{
		"completed":                          {exited(""), `{"state":"completed"}`, outcome.OK, ""},
		"completed, with another exit":       {exited("exit 3"), `{"state":"completed"}`, outcome.OK, ""},
		"failed, with a good exit":           {exited(""), `{"state":"failed","parts":[{"text":"no luck"}]}`, outcome.Error, "failed: no luck"},
		"failed without a word":              {exited("exit 3"), `{"state":"failed"}`, outcome.Error, "failed"},
		"rejected":                           {exited(""), `{"state":"rejected","parts":[{"text":"not mine"}]}`, outcome.Error, "rejected: not mine"},
		"completed, and then a trap":         {tasks.Result{Detail: "trap: unreachable"}, `{"state":"completed"}`, outcome.Error, "trap: unreachable"},
		"failed with more than a record has": {exited(""), `{"state":"failed","parts":[{"text":"` + strings.Repeat("x", 3000) + `"}]}`, outcome.Error, outcome.BoundDetail("failed: " + strings.Repeat("x", 3000))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, says(t, c.result, "finish "+c.finish))
			assert.Equal(t, plugin.ExitDone, r.run())
			assert.Equal(t, outcome.End{SessionID: "ses_1", TaskID: "tsk_1", Status: c.status, Detail: c.detail}, r.end())
		})
	}
}

func TestTheAnswerIsTheFileElseWhatWasSaidElseTheArtifactsElseWhatWasPrinted(t *testing.T) {
	t.Parallel()
	const (
		artifact = `artifact {"parts":[{"text":"an artifact"}]}`
		finish   = `finish {"state":"completed","parts":[{"text":"last words"}]}`
	)
	for want, c := range map[string]struct {
		file  bool
		calls []string
	}{
		"a file":      {true, []string{artifact, finish}},
		"last words":  {false, []string{artifact, finish}},
		"an artifact": {false, []string{artifact, `finish {"state":"completed"}`}},
		"printed":     {false, []string{`artifact {"parts":[{"data":{}}]}`}},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			var r *rig
			said := says(t, tasks.Result{Exited: true}, c.calls...)
			r = newRig(t, code(func(ctx context.Context, w tasks.Work, ops tasks.Ops) tasks.Result {
				if c.file {
					r.answer("a file")
				}
				return said(ctx, w, ops)
			}))
			assert.Equal(t, plugin.ExitDone, r.run())
			assert.Equal(t, want, r.read(r.Records, "out/result.txt"))
			assert.NotEmpty(t, r.read(r.Records, "out/artifacts_tsk_1.jsonl"))
		})
	}
}

func TestATaskWhoseQuestionNobodyAnswersFailsOfThat(t *testing.T) {
	t.Parallel()
	var r *rig
	r = newRig(t, code(func(ctx context.Context, _ tasks.Work, ops tasks.Ops) tasks.Result {
		answer := ops.Call(ctx, "request-input", []byte(`{"prompt":"which?","timeout_secs":0.01}`))
		assert.Contains(t, string(answer), `"canceled"`)
		r.answer("half of it")
		return tasks.Result{Exited: true}
	})).delegated("")
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, outcome.Error, r.completion().Status)
	assert.Equal(t, "input-timeout", r.completion().Detail)
	assert.Equal(t, "half of it", r.read(r.Records, "out/result.txt"))
	assert.Equal(t, []string{"session_start", "task_start", "input_required", "task_failed", "task_end failed", "session_end failed"}, r.events())
}

func TestTheDoorShowsTheTaskAndTakesItsInput(t *testing.T) {
	t.Parallel()
	var r *rig
	header := map[string]string{"Content-Type": "application/json", "A2A-Version": "1.0"}
	post := func(body string) string {
		answer, err := r.Post.Post(t.Context(), r.url, header, []byte(body))
		if assert.NoError(t, err) {
			assert.Equal(t, http.StatusOK, answer.Status)
			return string(answer.Body)
		}
		return ""
	}
	r = newRig(t, code(func(ctx context.Context, _ tasks.Work, ops tasks.Ops) tasks.Result {
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			const get = `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"tsk_1"}}`
			assert.Eventually(t, func() bool { return strings.Contains(post(get), "TASK_STATE_INPUT_REQUIRED") }, patience, patience/1000)
			post(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","taskId":"tsk_1","parts":[{"text":"that one"}]}}}`)
		}()
		r.answer(string(ops.Call(ctx, "request-input", []byte(`{"prompt":"which?"}`))))
		<-answered
		return tasks.Result{Exited: true}
	}))
	assert.Equal(t, plugin.ExitDone, r.run())
	assert.Equal(t, `{"ok":{"message_id":"m","text":"that one","parts":[{"text":"that one"}]}}`, r.read(r.Records, "out/result.txt"))
}
