package door

import (
	"errors"

	"rookery/capsule/id"
	"rookery/worker/internal/live"
)

// wireTask is a task as A2A writes it.
type wireTask struct {
	ID        string         `json:"id"`
	ContextID string         `json:"contextId"`
	Status    wireStatus     `json:"status"`
	Artifacts []wireArtifact `json:"artifacts,omitempty"`
}

type wireStatus struct {
	State   string       `json:"state"`
	Message *wireMessage `json:"message,omitempty"`
}

type wireMessage struct {
	MessageID string     `json:"messageId"`
	Role      string     `json:"role"`
	TaskID    string     `json:"taskId"`
	ContextID string     `json:"contextId"`
	Parts     []wirePart `json:"parts"`
}

type wirePart struct {
	Text      string `json:"text"`
	MediaType string `json:"mediaType"`
}

type wireArtifact struct {
	ArtifactID string     `json:"artifactId"`
	Name       string     `json:"name"`
	Parts      []wirePart `json:"parts"`
}

// sent is the answer to SendMessage.
type sent struct {
	Task wireTask `json:"task"`
}

// What a new task is told. Callers compare the first: it means to offer again.
const (
	busy    = "task rejected: capsule is busy"
	leaving = "task rejected: the session is closing"
)

// show words a task.
func show(now live.Snapshot) wireTask {
	t := wireTask{ID: now.ID, ContextID: now.ContextID, Status: wireStatus{State: now.State.Wire()}}
	said := now.Message
	if now.State == live.InputRequired {
		said = now.Prompt
	}
	if said != "" {
		t.Status.Message = &wireMessage{
			MessageID: "msg_" + now.ID + "_status", Role: "ROLE_AGENT", TaskID: now.ID, ContextID: now.ContextID,
			Parts: []wirePart{{said, "text/plain"}},
		}
	}
	if now.State == live.InputRequired {
		t.Artifacts = []wireArtifact{{"prompt", "prompt", []wirePart{{now.Prompt, "text/plain"}}}}
	}
	return t
}

// sendMessage hands a message to the task that asks for one.
func (d *Door) sendMessage(params object) (any, *rpcError) {
	m, fault := readMessage(params)
	if fault != nil {
		return nil, fault
	}
	now := d.task.Now()
	switch {
	case m.taskID == "":
		return sent{show(d.rejected(m.contextID, now))}, nil
	case m.taskID != now.ID:
		return nil, taskNotFound(m.taskID)
	}
	now, err := d.task.Answer(m.contextID, m.Message)
	var refused *live.StateError
	switch {
	case errors.As(err, &refused):
		return nil, takesNoMessage(m.taskID, string(refused.State))
	case errors.Is(err, live.ErrContext):
		return nil, invalidParams("message.contextId is not the task's")
	}
	return sent{show(now)}, nil
}

// rejected is a new task for which there is no room: a session of this build has one.
func (d *Door) rejected(contextID string, now live.Snapshot) live.Snapshot {
	if contextID == "" {
		contextID = id.Context.New()
	}
	why := busy
	if now.State != live.Working && now.State != live.InputRequired {
		why = leaving
	}
	return live.Snapshot{ID: id.Task.New(), ContextID: contextID, State: live.Rejected, Message: why}
}

// getTask shows the session's task.
func (d *Door) getTask(params object) (any, *rpcError) {
	key, fault := params.text("params", "id")
	switch {
	case fault != nil:
		return nil, fault
	case key == "":
		return nil, invalidParams("params.id must not be empty")
	}
	now := d.task.Now()
	if key != now.ID {
		return nil, taskNotFound(key)
	}
	return show(now), nil
}
