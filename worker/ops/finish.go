package ops

import (
	"context"

	"rookery/worker/internal/live"
	"rookery/worker/trace"
)

type finishRequest struct {
	State     string `json:"state" rule:"required;enum=completed failed rejected input_required auth_required" doc:"input_required and auth_required are not built yet: refused. Use request-input."`
	Parts     []part `json:"parts" rule:"max=64" doc:"Their text is the answer, when no out/result.txt is left; of a task that failed or was rejected it is the reason."`
	AsMessage bool   `json:"as_message" doc:"Not built yet: refused when true."`
}

// Finish is how the guest has said that its task ends.
type Finish struct {
	State live.State
	// Text is what it said with it.
	Text string
}

// finish takes the guest's word for how the task ends.
func finish(ctx context.Context, c *Calls, r finishRequest) (struct{}, error) {
	if err := c.unfinished(); err != nil {
		return struct{}{}, err
	}
	switch {
	case r.State == "input_required" || r.State == "auth_required":
		return struct{}{}, badRequest("state %q is not built yet: request-input asks and waits", r.State)
	case r.AsMessage:
		return struct{}{}, badRequest(`field "as_message": answering with a message is not built yet`)
	}
	parts, err := c.keep(ctx, r.Parts)
	if err != nil {
		return struct{}{}, err
	}
	if len(parts) > 0 {
		if _, err := c.artifacts.write(pieceOf{State: r.State, Parts: parts}); err != nil {
			return struct{}{}, err
		}
	}
	c.ended.Store(&Finish{State: live.State(r.State), Text: textOf(parts, "\n")})
	c.trace.Emit(c.event, trace.TaskFinish{TaskID: c.taskID(), State: r.State, Parts: len(parts)})
	return struct{}{}, nil
}

// unfinished refuses what has no place after finish.
func (c *Calls) unfinished() error {
	if c.ended.Load() != nil {
		return badRequest("the task is finished")
	}
	return nil
}

// Finished is how the guest has said that its task ends, if it has.
func (c *Calls) Finished() (Finish, bool) {
	if f := c.ended.Load(); f != nil {
		return *f, true
	}
	return Finish{}, false
}
