package ops_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hostv1 "rookery/proto/rookery/host/v1"
	"rookery/worker/internal/hosttest"
	"rookery/worker/internal/live"
)

type waited struct {
	OK struct {
		Events []map[string]any `json:"events"`
		Next   uint64           `json:"next"`
		Missed uint64           `json:"missed"`
	} `json:"ok"`
}

func (r *rig) wait(request string) waited {
	r.t.Helper()
	var w waited
	text := r.ask("wait", request)
	require.Contains(r.t, text, `{"ok":`)
	require.NoError(r.t, json.Unmarshal([]byte(text), &w), text)
	return w
}

// seen is the events as "seq kind".
func (w waited) seen() []string {
	all := []string{}
	for _, e := range w.OK.Events {
		all = append(all, fmt.Sprintf("%v %v", e["seq"], e["kind"]))
	}
	return all
}

// until waits for the events of one request to number n.
func (r *rig) until(n int, request string) waited {
	r.t.Helper()
	var w waited
	require.Eventually(r.t, func() bool {
		w = r.wait(request)
		return len(w.OK.Events) >= n
	}, patience, time.Millisecond)
	return w
}

func word(message string) *hostv1.ChildProgress {
	return &hostv1.ChildProgress{
		DelegationId: "dlg_1", Capsule: "counter", Version: "0.1.0", State: "working", Message: message, AtUnixMs: 1_800_000_000_000,
	}
}

func TestEventsComeInOrderAtPlacesThatStay(t *testing.T) {
	t.Parallel()
	r := bare(t)
	child := r.started()
	r.host.Tell(word("half"))
	r.end(child, "answer")
	r.host.Tell(word("of another"))
	all := r.until(3, `{"timeout_secs":0}`)
	assert.Equal(t, []string{"1 progress", "2 outcome", "3 progress"}, all.seen())
	assert.EqualValues(t, 3, all.OK.Next)
	assert.Zero(t, all.OK.Missed)
	assert.Equal(t, all, r.wait(`{}`), "a read can be repeated")
	assert.Equal(t, []string{"2 outcome", "3 progress"}, r.wait(`{"after":1}`).seen())
	outcomes := r.wait(`{"kinds":["outcome"]}`)
	assert.Equal(t, []string{"2 outcome"}, outcomes.seen())
	assert.EqualValues(t, 2, outcomes.OK.Next)
	assert.Zero(t, outcomes.OK.Missed)
	nothing := r.wait(`{"kinds":["outcome","input"],"after":2,"timeout_secs":0}`)
	assert.Empty(t, nothing.OK.Events)
	assert.EqualValues(t, 2, nothing.OK.Next)
	assert.Equal(t, map[string]any{
		"delegation_id": "dlg_1", "capsule": "counter", "version": "0.1.0", "state": "working", "message": "half", "at_ms": 1.8e12,
	}, all.OK.Events[0]["progress"])
	assert.Contains(t, r.ask("await", `{}`), `"delegation_id":"`+child+`"`, "what wait has told of, await knows")
	golden(t, "event_outcome.json", strings.ReplaceAll(r.ask("wait", `{"kinds":["outcome"]}`), child, "dlg_1"))
}

func TestWaitWaitsForWhatIsWanted(t *testing.T) {
	t.Parallel()
	r := bare(t)
	child := r.started()
	r.host.Tell(word("half"))
	r.until(1, `{"timeout_secs":0}`)
	answer := make(chan string, 1)
	go func() {
		answer <- string(r.Call(t.Context(), "wait", []byte(`{"kinds":["outcome"],"timeout_secs":9}`)))
	}()
	r.host.Tell(word("more"))
	r.end(child, "")
	assert.Contains(t, <-answer, `"kind":"outcome"`)
	before := time.Now()
	assert.Empty(t, r.wait(`{"after":99,"timeout_secs":0.05}`).OK.Events)
	assert.GreaterOrEqual(t, time.Since(before), 50*time.Millisecond)
}

func TestOldProgressIsForgottenAndSaidToBeAndOutcomesAreNot(t *testing.T) {
	t.Parallel()
	r := bare(t)
	child := r.started()
	r.events.Progressed(word("first"))
	r.end(child, "")
	r.until(2, `{"timeout_secs":0}`)
	for i := range 300 {
		r.events.Progressed(word(fmt.Sprint(i)))
	}
	first := r.wait(`{}`)
	assert.Len(t, first.OK.Events, 64)
	assert.Equal(t, []string{"2 outcome", "47 progress"}, first.seen()[:2])
	assert.EqualValues(t, 45, first.OK.Missed, "1 and 3 to 46")
	seen, next := len(first.OK.Events), first.OK.Next
	for {
		page := r.wait(fmt.Sprintf(`{"after":%d,"timeout_secs":0}`, next))
		if len(page.OK.Events) == 0 {
			break
		}
		assert.Zero(t, page.OK.Missed)
		seen, next = seen+len(page.OK.Events), page.OK.Next
	}
	assert.Equal(t, 257, seen)
	assert.EqualValues(t, 302, next)
	assert.Zero(t, r.wait(`{"kinds":["outcome"]}`).OK.Missed)
}

func TestLargeEventsComeInSmallerPages(t *testing.T) {
	t.Parallel()
	r := bare(t)
	for range 3 {
		r.end(r.started(), strings.Repeat("x", 600<<10))
	}
	require.Eventually(t, func() bool { return len(r.host.Calls().Acknowledged) == 3 }, patience, time.Millisecond)
	page := r.until(1, `{}`)
	assert.Equal(t, []string{"1 outcome"}, page.seen())
	assert.Equal(t, []string{"2 outcome"}, r.wait(`{"after":1}`).seen())
}

func TestACancelIsToldOnceAsARefusalAndStandsInTheLog(t *testing.T) {
	t.Parallel()
	const told = `{"error":{"code":"canceled","message":"this capsule is being ended"}}`
	for name, op := range map[string]struct{ op, request string }{
		"while it waits":             {"wait", `{}`},
		"while it asks":              {"request-input", `{"prompt":"p"}`},
		"while it waits for a child": {"await", `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := bare(t)
			r.started()
			blocked := make(chan string, 1)
			go func() { blocked <- string(r.Call(t.Context(), op.op, []byte(op.request))) }()
			r.Cancel("deadline 600s")
			r.Cancel("a second reason")
			assert.Equal(t, told, <-blocked)
			events := r.wait(`{}`)
			assert.Equal(t, []string{"1 cancel"}, events.seen())
			assert.Equal(t, map[string]any{"reason": "deadline 600s"}, events.OK.Events[0]["cancel"])
			assert.Empty(t, r.wait(`{"after":1}`).OK.Events, "it looks and does not wait")
			assert.Equal(t, told, r.ask("request-input", `{"prompt":"p"}`))
			assert.Equal(t, `{"ok":{}}`, r.ask("progress", `{"message":"leaving"}`))
			r.gives(`{"parts":[{"text":"what there is"}]}`)
			assert.Equal(t, `{"ok":{}}`, r.ask("finish", `{"state":"failed"}`))
		})
	}
}

func TestProgressIsTracedShownAndPassedOn(t *testing.T) {
	t.Parallel()
	r := bare(t)
	assert.Equal(t, `{"ok":{}}`, r.ask("progress", `{"message":"half"}`))
	assert.Equal(t, "half", r.task.Now().Message)
	assert.Contains(t, r.traced(), `"event_type":"progress"`)
	assert.Contains(t, r.traced(), `"task_id":"tsk_1","message":"half"}`)
	require.Eventually(t, func() bool { return len(r.host.Calls().Progress) == 1 }, patience, time.Millisecond)
	assert.Equal(t, []string{"working: half"}, r.host.Calls().Progress)
	assert.Contains(t, r.ask("progress", `{"message":"`+strings.Repeat("x", 4097)+`"}`), `"too_large","message":"field \"message\" is longer than the limit of 4096 bytes","data":{"limit":4096,"value":4097}`)
	for range 500 {
		assert.Equal(t, `{"ok":{}}`, r.ask("progress", `{"message":"on it"}`))
	}
	assert.LessOrEqual(t, strings.Count(r.traced(), `"event_type":"progress"`), 30)
	assert.LessOrEqual(t, len(r.host.Calls().Progress), 30)
}

func TestAQuestionIsAnsweredByAMessage(t *testing.T) {
	t.Parallel()
	r := bare(t)
	answer := make(chan string, 1)
	go func() {
		answer <- string(r.Call(t.Context(), "request-input", []byte(`{"prompt":"which?","timeout_secs":9}`)))
	}()
	require.Eventually(t, func() bool { return r.task.Now().State == live.InputRequired }, patience, time.Millisecond)
	text := "the first"
	_, err := r.task.Answer("ctx_1", live.Message{ID: "m1", Parts: []live.Part{{Text: &text, MediaType: "text/plain"}, {Data: json.RawMessage(`{"n":1}`)}}})
	require.NoError(t, err)
	golden(t, "input.json", <-answer)
	event := r.wait(`{"kinds":["input"]}`)
	assert.Equal(t, []string{"1 input"}, event.seen())
	assert.Contains(t, r.traced(), `"event_type":"input_required"`)
	assert.Contains(t, r.traced(), `"task_id":"tsk_1","message_id":"m1","bytes":`)
	require.Eventually(t, func() bool {
		said := r.host.Calls().Progress
		return len(said) > 0 && said[len(said)-1] == "working: "
	}, patience, time.Millisecond)
}

func TestAQuestionThatNobodyAnswersEndsTheTask(t *testing.T) {
	t.Parallel()
	r := bare(t)
	assert.Equal(t, `{"error":{"code":"canceled","message":"this capsule is being ended"}}`, r.ask("request-input", `{"prompt":"which?","timeout_secs":0.01}`))
	assert.Equal(t, map[string]any{"reason": "input-timeout"}, r.wait(`{}`).OK.Events[0]["cancel"])
	assert.Contains(t, r.traced(), `"event_type":"task_failed"`)
	assert.Contains(t, r.traced(), `"cause":"input_timeout","reason":"input-timeout"`)
	assert.Contains(t, r.ask("request-input", `{"prompt":"`+strings.Repeat("x", 65537)+`"}`), `"too_large"`)
}

func TestARootTellsNobodyOfItsProgress(t *testing.T) {
	t.Parallel()
	r := newRoot(t, assignment(), hosttest.Answers{})
	assert.Equal(t, `{"ok":{}}`, r.ask("progress", `{"message":"half"}`))
	assert.Contains(t, r.ask("end-delegation", `{"delegation_id":"dlg_x"}`), `"not_found"`)
	assert.Empty(t, r.host.Calls().Progress)
}
