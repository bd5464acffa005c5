package murmur

import "time"

// DelegateRequest names a capsule to start as a child, and its task.
type DelegateRequest struct {
	Capsule string // one of the manifest's capabilities.spawn.allow
	Version string // an exact version
	// Task is the child's task text. The whole request, as JSON, may have 1 MiB.
	Task string
	// TaskFile is a file of the work folder that holds the task text instead of Task, at most 1 MiB.
	TaskFile string
	// Deadline ends the delegation; it can only shorten the manifest's lifecycle.delegation_deadline_secs, which 0
	// leaves as it is.
	Deadline time.Duration
	// RequestKey makes the call repeatable: a second request with the same key answers with the first one's delegation.
	RequestKey string
}

// Started is a delegation whose child is running.
type Started struct {
	DelegationID string `json:"delegation_id"`
	SessionID    string `json:"session_id"`
	URL          string `json:"url"` // the child's door
	Capsule      string `json:"capsule"`
	Version      string `json:"version"`
}

// Delegate starts a child and returns while it runs. Await tells how it ended.
//
// The refusals to expect are an *Error with ChildrenLimit, HostLimit or RateLimit, which pass when others end or with
// time, and with TotalLimit, DepthLimit, UnknownCapsule, UnknownVersion, NotGranted, Envelope or ShuttingDown, which do
// not. A child that then fails to start is no error here but an outcome with StatusCrashed.
func Delegate(r DelegateRequest) (Started, error) {
	var started Started
	err := call("delegate", r.wire(false), &started)
	return started, err
}

// DelegateAndWait starts a child and returns when it has ended. It is refused like Delegate; a child that failed is an
// outcome with its status, not an error.
func DelegateAndWait(r DelegateRequest) (Outcome, error) {
	var outcome Outcome
	err := call("delegate", r.wire(true), &outcome)
	return outcome, err
}

// EndDelegation ends a child of this capsule and everything beneath it, and returns its outcome once its process is
// gone. One that has ended answers with the outcome it has; an id that is not of this capsule is refused with NotFound.
func EndDelegation(id string) (Outcome, error) {
	var outcome Outcome
	err := call("end-delegation", endRequest{DelegationID: id}, &outcome)
	return outcome, err
}

type delegateRequest struct {
	Capsule      string  `json:"capsule"`
	Version      string  `json:"version"`
	Task         *string `json:"task,omitempty"` // an empty task is a task
	TaskFile     string  `json:"task_file,omitempty"`
	Wait         bool    `json:"wait,omitempty"`
	DeadlineSecs float64 `json:"deadline_secs,omitempty"`
	RequestKey   string  `json:"request_key,omitempty"`
}

type endRequest struct {
	DelegationID string `json:"delegation_id"`
}

func (r DelegateRequest) wire(wait bool) delegateRequest {
	w := delegateRequest{
		Capsule:      r.Capsule,
		Version:      r.Version,
		TaskFile:     r.TaskFile,
		Wait:         wait,
		DeadlineSecs: r.Deadline.Seconds(),
		RequestKey:   r.RequestKey,
	}
	if r.Task != "" || r.TaskFile == "" {
		w.Task = &r.Task
	}
	return w
}
