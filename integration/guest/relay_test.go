package guest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/capsule/outcome"
	"rookery/integration/rig"
	operatorv1 "rookery/proto/rookery/operator/v1"
)

// relay is a host with a root of the capsule relay.
func relay(t *testing.T, runners string) *rig.Host {
	t.Helper()
	return rig.Up(t, rig.Fleet{Store: []string{rig.Path(rig.Relay)}, Capsules: []rig.Root{{Name: "relay", Task: `{"runners":` + runners + `}`}}})
}

// said are the words of progress in a session's trace.
func said(h *rig.Host, recordsDir string) string {
	var all []string
	for _, e := range h.Trace(recordsDir) {
		if e["event_type"] == "progress" {
			all = append(all, e["message"].(string))
		}
	}
	return strings.Join(all, "\n")
}

func TestWhatChildrenSayAndGiveReachesTheirParent(t *testing.T) {
	t.Parallel()
	h := relay(t, `[{"name":"Ada","laps":2},{"name":"Ben","laps":4}]`)
	root := h.RootEnded("relay", rig.Soon)
	require.Equal(t, "ok", root.GetStatus(), root.GetDetail())
	answer := h.Answer(root.GetRecordsDir())
	for _, line := range []string{"Ada lap 1: ", "Ada lap 2: ", "Ben lap 4: "} {
		assert.Contains(t, answer, line)
	}
	words := said(h, root.GetRecordsDir())
	for _, d := range h.Delegations() {
		laps := "lap 2 of 2"
		if strings.Contains(h.Answer(d.GetRecordsDir()), "Ben") {
			laps = "lap 4 of 4"
		}
		assert.Contains(t, words, d.GetDelegationId()+": "+laps, "the last word is told before the end")
		assert.NoFileExists(t, filepath.Join(d.GetRecordsDir(), outcome.EndFile), "a delegated session has one record")
		assert.Equal(t, outcome.OK, h.Completion(d).Status)
		pieces, err := filepath.Glob(filepath.Join(d.GetRecordsDir(), "out", "artifacts_tsk_*.jsonl"))
		require.NoError(t, err)
		require.Len(t, pieces, 1)
		lines, err := os.ReadFile(pieces[0])
		require.NoError(t, err)
		assert.Contains(t, string(lines), `"artifact_id":"times","append":true,"last":true`)
	}
	assert.NoFileExists(t, filepath.Join(root.GetRecordsDir(), outcome.CompletionFile))
	assert.Equal(t, 0, h.Stop())
	h.NothingLeft()
}

func TestAChildThatSaysItFailedIsAnErrorWithItsWords(t *testing.T) {
	t.Parallel()
	h := relay(t, `[{"name":"Cyd","laps":3,"falls_at":2}]`)
	root := h.RootEnded("relay", rig.Soon)
	assert.Equal(t, "error", root.GetStatus())
	assert.Equal(t, "failed: Cyd fell in lap 2", root.GetDetail())
	child := h.Delegations()[0]
	assert.Equal(t, "error", child.GetStatus())
	assert.Equal(t, "failed: Cyd fell in lap 2", child.GetDetail())
	assert.Equal(t, "Cyd fell in lap 2", h.Answer(child.GetRecordsDir()), "its last words before its artifacts")
}

// door posts a request as any client would, and returns the result or the error's code.
func door(t *testing.T, url, method, params string) (result map[string]any, failed float64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), rig.Soon)
	defer cancel()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("A2a-Version", "1.0")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	var answer struct {
		Result map[string]any `json:"result"`
		Error  struct {
			Code float64 `json:"code"`
		} `json:"error"`
	}
	require.NoError(t, json.Unmarshal(raw, &answer), "%s", raw)
	return answer.Result, answer.Error.Code
}

// asking waits until a child of the capsule runner asks, and returns its door and its task.
func asking(t *testing.T, h *rig.Host) (url, task string) {
	t.Helper()
	child := h.RunningChild("runner")
	task = started(t, h, child.GetRecordsDir())
	rig.Until(t, rig.Soon, "the task requires input", func() bool {
		shown, _ := door(t, child.GetUrl(), "GetTask", `{"id":"`+task+`"}`)
		status, _ := shown["status"].(map[string]any)
		return status["state"] == "TASK_STATE_INPUT_REQUIRED"
	})
	return child.GetUrl(), task
}

// started is the id of a session's task, once it has begun.
func started(t *testing.T, h *rig.Host, recordsDir string) (task string) {
	t.Helper()
	rig.Until(t, rig.Soon, "the task has begun", func() bool {
		for _, e := range h.Trace(recordsDir) {
			if e["event_type"] == "task_start" {
				task = e["task_id"].(string)
			}
		}
		return task != ""
	})
	return task
}

func message(task, more, words string) string {
	return `{"message":{"messageId":"m1","role":"ROLE_USER","taskId":"` + task + `"` + more + `,"parts":[{"text":"` + words + `"}]}}`
}

func TestAQuestionIsSeenByTheParentAndAnsweredAtTheDoor(t *testing.T) {
	t.Parallel()
	h := relay(t, `[{"name":"Ada","laps":1,"asks":true}]`)
	url, task := asking(t, h)
	parent := h.RootSession("relay")
	rig.Until(t, rig.Soon, "the parent hears the question", func() bool {
		return strings.Contains(said(h, parent.GetRecordsDir()), "Ada is ready: shall I run?")
	})
	for params, want := range map[string]float64{
		message(task, `,"contextId":"ctx_of_another"`, "go"): -32602,
		message("tsk_of_another", "", "go"):                  -32001,
	} {
		_, failed := door(t, url, "SendMessage", params)
		assert.InDelta(t, want, failed, 0)
	}
	_, failed := door(t, url, "CancelTask", `{"id":"`+task+`"}`)
	assert.InDelta(t, -32601, failed, 0)
	fresh, _ := door(t, url, "SendMessage", `{"message":{"messageId":"m2","role":"ROLE_USER","parts":[{"text":"a new task"}]}}`)
	text, err := json.Marshal(fresh)
	require.NoError(t, err)
	assert.Contains(t, string(text), "task rejected: capsule is busy")

	taken, failed := door(t, url, "SendMessage", message(task, "", "go"))
	require.Zero(t, failed)
	status, _ := taken["task"].(map[string]any)["status"].(map[string]any)
	assert.Equal(t, "TASK_STATE_WORKING", status["state"])
	root := h.RootEnded("relay", rig.Soon)
	assert.Equal(t, "ok", root.GetStatus(), root.GetDetail())
	assert.Contains(t, h.Answer(root.GetRecordsDir()), "Ada lap 1: ")
}

func TestATaskCanRejectWhatItIsAnswered(t *testing.T) {
	t.Parallel()
	h := relay(t, `[{"name":"Ada","laps":1,"asks":true}]`)
	url, task := asking(t, h)
	_, failed := door(t, url, "SendMessage", message(task, "", "stay"))
	require.Zero(t, failed)
	root := h.RootEnded("relay", rig.Soon)
	assert.Equal(t, "rejected: told: stay", h.Delegations()[0].GetDetail())
	assert.Equal(t, "failed: rejected: told: stay", root.GetDetail())
}

func TestAQuestionThatNobodyAnswersFailsTheTask(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Store: store(t), Capsules: []rig.Root{{Name: "asker", Task: text(
		call("request-input", `{"prompt":"anybody?","timeout_secs":0.2}`), call("log", `{"level":"info","message":"leaving"}`),
	)}}})
	root := h.RootEnded("asker", rig.Soon)
	assert.Equal(t, "error", root.GetStatus())
	assert.Equal(t, "input-timeout", root.GetDetail())
	all := responses(t, h, root)
	assert.Equal(t, "canceled", code(all[0]))
	assert.Empty(t, code(all[1]))
}

func TestWhatAGuestPrintsIsInItsLogWhileItWaits(t *testing.T) {
	t.Parallel()
	h := rig.Up(t, rig.Fleet{Store: store(t), Capsules: []rig.Root{{Name: "asker", Task: text(call("self", `{}`), call("wait", `{}`))}}})
	root := h.RootSession("asker")
	rig.Until(t, rig.Soon, "the first response is in the log of a guest that waits", func() bool {
		log, err := os.ReadFile(filepath.Join(root.GetRecordsDir(), "logs", "guest.stdout.log"))
		return err == nil && strings.Contains(string(log), `self {"ok":`)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, err := h.API.StopSession(ctx, &operatorv1.StopSessionRequest{SessionId: root.GetSessionId()})
	require.NoError(t, err)
}
