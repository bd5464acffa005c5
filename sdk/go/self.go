package murmur

import (
	"encoding/json"
	"time"
)

// Info is what a capsule is told about itself.
type Info struct {
	ABI       int      `json:"abi"` // version of the guest interface: 1
	Ops       []string `json:"ops"` // the ops that this host has and this capsule may use
	SessionID string   `json:"session_id"`
	Capsule   string   `json:"capsule"`
	Version   string   `json:"version"`
	URL       string   `json:"url"` // this capsule's door
	Task      TaskInfo `json:"task"`
	// DeadlineAtMS is when the capsule is ended, in milliseconds since 1970; see Deadline.
	DeadlineAtMS int64 `json:"deadline_at_ms"`
	// CancelRequested tells that the capsule is being ended.
	CancelRequested bool `json:"cancel_requested"`
	// Outstanding are the delegations of this capsule that still run.
	Outstanding []string `json:"outstanding"`
	// Limits and Grants are what the manifest gives, as the host words them.
	Limits json.RawMessage `json:"limits"`
	Grants json.RawMessage `json:"grants"`
}

// Deadline is when the capsule is ended.
func (i Info) Deadline() time.Time { return time.UnixMilli(i.DeadlineAtMS) }

// TaskInfo is the task as it arrived.
type TaskInfo struct {
	TaskID    string  `json:"task_id"`
	ContextID string  `json:"context_id"`
	Message   Message `json:"message"`
}

// Message is the message that carried the task.
type Message struct {
	MessageID string                     `json:"message_id"`
	Parts     []Part                     `json:"parts"`
	Metadata  map[string]json.RawMessage `json:"metadata"`
}

// Part is one piece of a message.
type Part struct {
	Text string `json:"text"`
}

// Self asks the host who this capsule is, what it may do and until when.
func Self() (Info, error) {
	var info Info
	err := call("self", struct{}{}, &info)
	return info, err
}
