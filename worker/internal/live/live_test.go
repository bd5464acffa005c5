package live_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"rookery/worker/internal/live"
)

const patience = 10 * time.Second

func text(s string) live.Message { return live.Message{ID: "msg_1", Parts: []live.Part{{Text: &s}}} }

// asking waits until the task asks.
func asking(t *testing.T, task *live.Task) {
	t.Helper()
	require.Eventually(t, func() bool { return task.Now().State == live.InputRequired }, patience, time.Millisecond)
}

func TestAQuestionTakesOneAnswerAndTheTaskWorksAgain(t *testing.T) {
	t.Parallel()
	task := live.New("tsk_1", "ctx_1")
	got := make(chan live.Message, 1)
	go func() {
		m, err := task.Ask(t.Context(), "which?", nil)
		assert.NoError(t, err)
		got <- m
	}()
	asking(t, task)
	assert.Equal(t, "which?", task.Now().Prompt)
	_, err := task.Answer("ctx_2", text("x"))
	require.ErrorIs(t, err, live.ErrContext)
	now, err := task.Answer("", text("that one"))
	require.NoError(t, err)
	assert.Equal(t, live.Snapshot{ID: "tsk_1", ContextID: "ctx_1", State: live.Working}, now)
	assert.Equal(t, "that one", (<-got).Text())
	_, err = task.Answer("ctx_1", text("another"))
	var refused *live.StateError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, live.Working, refused.State)
}

func TestAQuestionEndsWithItsTimeOrItsContext(t *testing.T) {
	t.Parallel()
	task := live.New("tsk_1", "ctx_1")
	expired := make(chan time.Time, 1)
	expired <- time.Now()
	_, err := task.Ask(t.Context(), "p", expired)
	require.ErrorIs(t, err, live.ErrTimeout)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = task.Ask(ctx, "p", nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, live.Working, task.Now().State)
}

func TestWhoIsToldThatItsMessageWasTakenIsRight(t *testing.T) {
	t.Parallel()
	for range 300 {
		task := live.New("tsk_1", "ctx_1")
		expired := make(chan time.Time, 1)
		var both sync.WaitGroup
		var taken, got bool
		both.Go(func() { _, err := task.Ask(t.Context(), "p", expired); got = err == nil })
		asking(t, task)
		both.Go(func() { expired <- time.Now() })
		both.Go(func() { _, err := task.Answer("", text("a")); taken = err == nil })
		both.Wait()
		require.Equal(t, taken, got)
	}
}

func TestAnEndStands(t *testing.T) {
	t.Parallel()
	task := live.New("tsk_1", "ctx_1")
	task.Say("half")
	task.End(live.Failed, "why")
	task.End(live.Completed, "")
	task.Say("more")
	assert.Equal(t, live.Snapshot{ID: "tsk_1", ContextID: "ctx_1", State: live.Failed, Message: "why"}, task.Now())
	_, err := task.Ask(t.Context(), "p", nil)
	require.EqualError(t, err, "the task is failed")
	_, err = task.Answer("", text("a"))
	require.EqualError(t, err, "the task is failed")
}

func TestStatesOnTheWire(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "TASK_STATE_INPUT_REQUIRED", live.InputRequired.Wire())
	assert.Equal(t, "TASK_STATE_WORKING", live.Working.Wire())
}

func TestDataIsFencedInTheTextOfAMessage(t *testing.T) {
	t.Parallel()
	first := "see:"
	m := live.Message{Parts: []live.Part{
		{Text: &first},
		{Data: json.RawMessage(`{"a":1}`), MediaType: "application/json", Filename: "a b`.json"},
		{Data: json.RawMessage("\"four ````\"")},
	}}
	want := strings.Join([]string{
		"see:",
		"```data media-type=application/json filename=a_b_.json", "{", `  "a": 1`, "}", "```",
		"`````data", "\"four ````\"", "`````",
	}, "\n")
	assert.Equal(t, want, m.Text())
}
