package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"unicode/utf8"

	"rookery/capsule/beneath"
	"rookery/capsule/id"
	hostv1 "rookery/proto/rookery/host/v1"
)

type delegateRequest struct {
	Capsule  string  `json:"capsule" rule:"required" doc:"One of the manifest's spawn.allow."`
	Version  string  `json:"version" rule:"required" doc:"An exact version."`
	Task     *string `json:"task" doc:"The child's task text. Exactly one of task and task_file is there."`
	TaskFile *string `json:"task_file" doc:"A file of the work folder that holds it, at most 1 MiB."`
	// Files is known so that it can be refused by a sentence.
	Files        []string `json:"files" doc:"Not built yet: refused."`
	Wait         bool     `json:"wait" doc:"Answers with the outcome, when the child has ended."`
	DeadlineSecs *float64 `json:"deadline_secs" rule:"min=0.001;max=1e+09" doc:"Shortens the manifest's lifecycle.delegation_deadline_secs."`
	RequestKey   *string  `json:"request_key" rule:"min=1;max=256" doc:"Makes the call one that can be repeated: the same key answers with the same delegation."`
}

type delegateAnswer struct {
	DelegationID string `json:"delegation_id"`
	SessionID    string `json:"session_id"`
	URL          string `json:"url" doc:"The child's door."`
	Capsule      string `json:"capsule"`
	Version      string `json:"version"`
	Status       string `json:"status" rule:"enum=started"`
}

// delegate asks the supervisor for a child. It answers with a delegateAnswer, or an
// outcome.
func delegate(ctx context.Context, c *Calls, r delegateRequest) (any, error) {
	if err := c.unfinished(); err != nil {
		return nil, err
	}
	request, err := c.delegation(r)
	if err != nil {
		return nil, err
	}
	response, err := c.link.Delegate(ctx, request)
	if err != nil {
		c.children.failed(request, err)
		return nil, err
	}
	c.children.start(response)
	if r.Wait {
		ended, err := c.arrival(ctx, response.GetDelegationId())
		if err != nil {
			return nil, err
		}
		return outcomeOf(ended), nil
	}
	return delegateAnswer{
		DelegationID: response.GetDelegationId(), SessionID: response.GetSessionId(), URL: response.GetUrl(),
		Capsule: response.GetCapsule(), Version: response.GetVersion(), Status: "started",
	}, nil
}

// delegation checks a guest's request and words it for the supervisor.
func (c *Calls) delegation(r delegateRequest) (*hostv1.DelegateRequest, error) {
	if r.Files != nil {
		return nil, badRequest(`field "files": handing files to a child is not built yet`)
	}
	request := &hostv1.DelegateRequest{
		TaskId: c.assigned.GetTask().GetTaskId(), ContextId: c.assigned.GetTask().GetContextId(),
		Capsule: r.Capsule, Version: r.Version, LineageOnly: r.Wait,
	}
	var err error
	if request.Task, err = c.taskText(r); err != nil {
		return nil, err
	}
	if r.DeadlineSecs != nil {
		request.DeadlineMs = int64(*r.DeadlineSecs * 1000)
	}
	request.RequestId = id.Request.New()
	if r.RequestKey != nil {
		request.RequestId = c.requestID(*r.RequestKey)
	}
	return request, nil
}

// requestID is the same for the same key of the same task, and for no other.
func (c *Calls) requestID(key string) string {
	sum := sha256.Sum256([]byte(c.assigned.GetSession().GetSessionId() + "\n" + c.assigned.GetTask().GetTaskId() + "\n" + key))
	return string(id.Request) + hex.EncodeToString(sum[:16])
}

func (c *Calls) taskText(r delegateRequest) (string, error) {
	switch {
	case (r.Task == nil) == (r.TaskFile == nil):
		return "", badRequest(`exactly one of the fields "task" and "task_file" must be there`)
	case r.Task != nil:
		return *r.Task, nil
	}
	data, err := c.work.ReadRegular(*r.TaskFile, maxRequest)
	switch {
	case errors.Is(err, beneath.ErrTooLarge):
		return "", tooLarge(maxRequest+1, maxRequest, "file %.200q is larger than the limit of %d bytes", *r.TaskFile, maxRequest)
	case err != nil:
		return "", fileFault("task_file", *r.TaskFile, err)
	case !utf8.Valid(data):
		return "", badRequest("file %.200q is not UTF-8", *r.TaskFile)
	}
	return string(data), nil
}
