package ops

import (
	"context"

	"rookery/worker/internal/live"
	"rookery/worker/trace"
)

// maxWord bounds one word of progress, in bytes, as the supervisor does.
const maxWord = 4 << 10

type progressRequest struct {
	Message string `json:"message" rule:"required" doc:"A line for people, at most 4096 bytes."`
}

// progress tells whoever looks. Of many words in a short time the last one is told.
func progress(_ context.Context, c *Calls, r progressRequest) (struct{}, error) {
	if len(r.Message) > maxWord {
		return struct{}{}, tooLarge(int64(len(r.Message)), maxWord, `field "message" is longer than the limit of %d bytes`, maxWord)
	}
	c.task.Say(r.Message)
	if dropped, ok := c.words.Take(); ok {
		c.trace.Emit(c.event, trace.Progress{TaskID: c.taskID(), Message: r.Message, Dropped: dropped})
	}
	c.tell(live.Working, r.Message)
	return struct{}{}, nil
}

// tell lets the capsule that delegated the task know.
func (c *Calls) tell(state live.State, message string) {
	if c.delegated {
		c.link.Progress(string(state), cut(message, maxWord))
	}
}

func (c *Calls) taskID() string { return c.assigned.GetTask().GetTaskId() }
