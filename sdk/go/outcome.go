package murmur

import "time"

// Status is how a delegation ended.
type Status string

// The statuses of an outcome.
const (
	StatusOK         Status = "ok"         // the child exited 0
	StatusError      Status = "error"      // the child exited otherwise, trapped, or met its deadline or a limit
	StatusCrashed    Status = "crashed"    // the child's process died, or could not be started
	StatusTerminated Status = "terminated" // someone ended the child: parent, operator, the delegation's deadline
	StatusUnknown    Status = "unknown"    // the host no longer knows this delegation
)

// ResultState says what kind of answer a child left.
type ResultState string

// The kinds of answer.
const (
	ResultText  ResultState = "text"  // Outcome.Result holds it
	ResultNone  ResultState = "none"  // the child left no answer
	ResultEmpty ResultState = "empty" // the child left an answer of no bytes
)

// Outcome is what a parent is told, once, about a delegation that has ended.
type Outcome struct {
	DelegationID string `json:"delegation_id"`
	Capsule      string `json:"capsule"`
	Version      string `json:"version"`
	Status       Status `json:"status"`
	DurationMS   int64  `json:"duration_ms"`
	// Detail names the cause, "exit 3" or "trap: unreachable"; empty for StatusOK. The host cuts it at 2000 bytes.
	Detail      string      `json:"detail,omitempty"`
	ResultState ResultState `json:"result_state"`
	// Result is the child's answer, at most 64 KiB of it. It is the child's text, to be trusted like any other input.
	Result string `json:"result,omitempty"`
	// Truncated tells that Result was cut, with a line at its end that says so.
	Truncated bool `json:"truncated"`
	// Whole is where the uncut answer lies beneath murmur-runtime/, when it was cut.
	Whole string `json:"whole,omitempty"`
	// Message is the outcome as one text that is safe to show to a model: the child's words are fenced.
	Message string `json:"message"`
}

// Duration is how long the delegation lived.
func (o Outcome) Duration() time.Duration { return time.Duration(o.DurationMS) * time.Millisecond }
