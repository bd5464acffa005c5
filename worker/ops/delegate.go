package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"rookery/capsule/beneath"
	"rookery/capsule/id"
	hostv1 "rookery/proto/rookery/host/v1"
)

type delegateRequest struct {
	Capsule  string  `json:"capsule"`
	Version  string  `json:"version"`
	Task     *string `json:"task"`
	TaskFile *string `json:"task_file"`
	// Files is known so that it can be refused by a sentence.
	Files []string `json:"files"`
	// Wait answers with the outcome.
	Wait bool `json:"wait"`
	// DeadlineSecs shortens the delegation's deadline.
	DeadlineSecs *float64 `json:"deadline_secs"`
	// RequestKey makes the call one that can be repeated.
	RequestKey *string `json:"request_key"`
}

type delegateAnswer struct {
	DelegationID string `json:"delegation_id"`
	SessionID    string `json:"session_id"`
	URL          string `json:"url"`
	Capsule      string `json:"capsule"`
	Version      string `json:"version"`
	Status       string `json:"status"`
}

// maxKey bounds a request key: a key names one thing, it is no place for data.
const maxKey = 256

// delegate asks the supervisor for a child.
func delegate(ctx context.Context, c *Calls, r delegateRequest) (any, error) {
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
		limit, err := duration("deadline_secs", *r.DeadlineSecs)
		if err != nil {
			return nil, err
		}
		if request.DeadlineMs = limit.Milliseconds(); request.DeadlineMs == 0 {
			return nil, badRequest(`field "deadline_secs" must be at least a thousandth`)
		}
	}
	request.RequestId = id.Request.New()
	if r.RequestKey != nil {
		if *r.RequestKey == "" || len(*r.RequestKey) > maxKey {
			return nil, badRequest(`field "request_key" must have 1 to %d bytes`, maxKey)
		}
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
	case errors.Is(err, fs.ErrNotExist):
		return "", &opError{Code: codeNotFound, Message: fmt.Sprintf("no file %.200q in the work folder", *r.TaskFile)}
	case errors.Is(err, beneath.ErrTooLarge):
		return "", &opError{Code: codeTooLarge, Message: fmt.Sprintf("file %.200q is larger than the limit of %d bytes", *r.TaskFile, maxRequest)}
	case errors.Is(err, beneath.ErrName), errors.Is(err, beneath.ErrLink), errors.Is(err, beneath.ErrNotRegular):
		return "", badRequest(`field "task_file": %w`, err)
	case err != nil:
		return "", &opError{Code: codeIO, Message: fmt.Sprintf("file %.200q cannot be read", *r.TaskFile)}
	case !utf8.Valid(data):
		return "", badRequest("file %.200q is not UTF-8", *r.TaskFile)
	}
	return string(data), nil
}
