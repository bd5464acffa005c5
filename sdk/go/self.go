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
	// DeadlineAtMS is when the capsule is ended, in milliseconds since 1970; 0: it is not. See Deadline.
	DeadlineAtMS int64 `json:"deadline_at_ms"`
	// CancelRequested tells that the capsule is being ended.
	CancelRequested bool `json:"cancel_requested"`
	// Outstanding are the delegations of this capsule that still run.
	Outstanding []string `json:"outstanding"`
	Limits      Limits   `json:"limits"`
	Grants      Grants   `json:"grants"`
}

// Deadline is when the capsule is ended, and whether there is such a time.
func (i Info) Deadline() (time.Time, bool) {
	return time.UnixMilli(i.DeadlineAtMS), i.DeadlineAtMS != 0
}

// Limits are the bounds of this run.
type Limits struct {
	MemoryBytes   uint64  `json:"memory_bytes"`
	TableElements uint64  `json:"table_elements"`
	DeadlineSecs  float64 `json:"deadline_secs"` // of the task, from its start
	RequestBytes  int     `json:"request_bytes"` // of one call
}

// Grants are what the manifest lets this capsule do.
type Grants struct {
	SpawnAllow []string `json:"spawn_allow"`
	EnvAllow   []string `json:"env_allow"`
	// DelegationDeadlineSecs bounds each delegation of a capsule that may make some.
	DelegationDeadlineSecs float64 `json:"delegation_deadline_secs"`
}

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

// Self asks the host who this capsule is, what it may do and until when.
func Self() (Info, error) {
	var info Info
	err := call("self", struct{}{}, &info)
	return info, err
}
