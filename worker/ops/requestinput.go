package ops

import (
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"rookery/worker/internal/live"
	"rookery/worker/trace"
)

// maxPrompt bounds a question, in bytes: it is shown whole to whoever looks at the task.
const maxPrompt = 64 << 10

// InputTimeout is the cause of a task that has waited for a message in vain.
const InputTimeout = "input-timeout"

type inputRequest struct {
	Prompt      string   `json:"prompt" rule:"required" doc:"The question, at most 64 KiB."`
	TimeoutSecs *float64 `json:"timeout_secs" rule:"min=0;max=1e+09" doc:"How long to wait; absent: as long as the capsule may run."`
}

type inputAnswer struct {
	MessageID string      `json:"message_id"`
	Text      string      `json:"text" doc:"The message as one text; data stands in it as fenced JSON."`
	Parts     []inputPart `json:"parts"`
}

// inputPart is what the door takes of parts: text and data.
type inputPart struct {
	Text      *string         `json:"text,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	Filename  string          `json:"filename,omitempty"`
}

// requestInput waits for a message to the task.
func requestInput(ctx context.Context, c *Calls, r inputRequest) (inputAnswer, error) {
	if err := c.unfinished(); err != nil {
		return inputAnswer{}, err
	}
	if len(r.Prompt) > maxPrompt {
		return inputAnswer{}, tooLarge(int64(len(r.Prompt)), maxPrompt, `field "prompt" is longer than the limit of %d bytes`, maxPrompt)
	}
	if c.canceled() {
		return inputAnswer{}, canceled()
	}
	expired, stop := expiry(r.TimeoutSecs)
	defer stop()
	if dropped, ok := c.questions.Take(); ok {
		c.trace.Emit(c.event, trace.InputRequired{TaskID: c.taskID(), PromptBytes: len(r.Prompt), Dropped: dropped})
	}
	c.tell(live.InputRequired, r.Prompt)
	message, err := c.task.Ask(ctx, r.Prompt, expired)
	switch {
	case errors.Is(err, live.ErrTimeout):
		c.trace.Emit(c.event, trace.TaskFailed{TaskID: c.taskID(), Cause: "input_timeout", Reason: InputTimeout})
		c.stop(InputTimeout)
		<-ctx.Done()
		return inputAnswer{}, canceled()
	case err != nil:
		return inputAnswer{}, canceled()
	}
	c.tell(live.Working, "")
	answer := inputAnswer{MessageID: message.ID, Text: message.Text(), Parts: []inputPart{}}
	for _, p := range message.Parts {
		answer.Parts = append(answer.Parts, inputPart(p))
	}
	if dropped, ok := c.replies.Take(); ok {
		c.trace.Emit(c.event, trace.InputReceived{TaskID: c.taskID(), MessageID: message.ID, Bytes: len(answer.Text), Dropped: dropped})
	}
	c.events.add(event{Kind: kindInput, Input: &answer})
	return answer, nil
}

// cut shortens a text to so many bytes, at a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
