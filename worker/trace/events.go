package trace

// SessionStart is the first line of every trace.
type SessionStart struct {
	CapsuleName         string `json:"capsule_name"`
	CapsuleVersion      string `json:"capsule_version"`
	ContainmentAchieved string `json:"containment_achieved"`
	ContextID           string `json:"context_id"`
	// SpawnedBy and DelegationID are both there or both absent.
	SpawnedBy       string `json:"spawned_by,omitempty"`
	DelegationID    string `json:"delegation_id,omitempty"`
	EffectiveGrants Grants `json:"effective_grants"`
}

// Grants is what the session may do.
type Grants struct {
	SpawnAllow []string `json:"spawn_allow"`
	EnvAllow   []string `json:"env_allow"`
	// ReadOnlyPaths are what the capsule cannot change of its folder.
	ReadOnlyPaths []string `json:"read_only_paths"`
	// Preopens are the mounts it sees beside its folder, one that it can change as NAME:rw.
	Preopens []string `json:"preopens"`
}

// TaskStart says that the session has taken a task.
type TaskStart struct {
	TaskID    string `json:"task_id"`
	ContextID string `json:"context_id"`
	// Source is task_md: the task came with the session.
	Source string `json:"source"`
	// Origin is user or peer, Trust trusted or untrusted, Lane user or peer.
	Origin            string `json:"origin"`
	Trust             string `json:"trust"`
	Lane              string `json:"lane"`
	MessagePartsBytes int    `json:"message_parts_bytes"`
}

// TaskEnd says how a task ended.
type TaskEnd struct {
	TaskID string `json:"task_id"`
	// ExitStatus is ok, failed or canceled.
	ExitStatus string `json:"exit_status"`
	DurationMS int64  `json:"duration_ms"`
	// Detail is the cause of every status but ok.
	Detail string `json:"detail,omitempty"`
}

// DelegationStart says that a child has been started.
type DelegationStart struct {
	DelegationID   string `json:"delegation_id"`
	Capsule        string `json:"capsule"`
	Version        string `json:"version"`
	ChildSessionID string `json:"child_session_id"`
}

// Delegation says how a delegation ended, or that it was refused.
type Delegation struct {
	Capsule string `json:"capsule"`
	Version string `json:"version"`
	// DelegationID and ChildSessionID are null for a refused one.
	DelegationID   *string `json:"delegation_id"`
	ChildSessionID *string `json:"child_session_id"`
	DurationMS     int64   `json:"duration_ms"`
	// Outcome is ok, error, crashed, terminated, unknown, or refused.
	Outcome string `json:"outcome"`
	// Reason is the outcome's detail or the refusal; null when there is none.
	Reason *string `json:"reason"`
	// Dropped counts refusals since the last line that have none of their own.
	Dropped int64 `json:"dropped,omitempty"`
}

// AccessRefused says that the guest was refused a file operation: it would have left its
// folder, changed what is read-only, or taken more than its folder may hold.
type AccessRefused struct {
	// Op is the WASI function, Path what the guest gave it; empty when there was none.
	Op   string `json:"op"`
	Path string `json:"path,omitempty"`
	// Errno is the code's name: notcapable, rofs or dquot.
	Errno string `json:"errno"`
	// Dropped counts refusals since the last line that have none of their own.
	Dropped int64 `json:"dropped,omitempty"`
}

// Progress is what the capsule has said about how far its task is.
type Progress struct {
	TaskID  string `json:"task_id"`
	Message string `json:"message"`
	// Dropped counts words since the last line that have none of their own.
	Dropped int64 `json:"dropped,omitempty"`
}

// Artifact says that the capsule has given away a piece of its answer. What is in it
// stands in the task's artifacts file.
type Artifact struct {
	TaskID     string `json:"task_id"`
	ArtifactID string `json:"artifact_id"`
	Name       string `json:"name,omitempty"`
	Parts      int    `json:"parts"`
	// Bytes is the length of the line in the artifacts file.
	Bytes  int  `json:"bytes"`
	Append bool `json:"append"`
	Last   bool `json:"last"`
	// Dropped counts pieces since the last line that have none of their own.
	Dropped int64 `json:"dropped,omitempty"`
}

// TaskFinish says that the capsule has said how its task ends.
type TaskFinish struct {
	TaskID string `json:"task_id"`
	// State is completed, failed or rejected.
	State string `json:"state"`
	Parts int    `json:"parts"`
}

// InputRequired says that the task waits for a message.
type InputRequired struct {
	TaskID      string `json:"task_id"`
	PromptBytes int    `json:"prompt_bytes"`
	// Dropped counts questions since the last line that have none of their own.
	Dropped int64 `json:"dropped,omitempty"`
}

// InputReceived says that a message has reached the task.
type InputReceived struct {
	TaskID    string `json:"task_id"`
	MessageID string `json:"message_id"`
	Bytes     int    `json:"bytes"`
	// Dropped counts messages since the last line that have none of their own.
	Dropped int64 `json:"dropped,omitempty"`
}

// TaskFailed says what the task failed of before it ended.
type TaskFailed struct {
	TaskID string `json:"task_id"`
	// Cause is input_timeout.
	Cause  string `json:"cause"`
	Reason string `json:"reason"`
}

// SessionEnd is the last line of a trace whose worker lived to write it.
type SessionEnd struct {
	DurationMS int64 `json:"duration_ms"`
	// ExitStatus is ok, failed or canceled.
	ExitStatus string `json:"exit_status"`
}

func (SessionStart) eventType() string    { return "session_start" }
func (TaskStart) eventType() string       { return "task_start" }
func (TaskEnd) eventType() string         { return "task_end" }
func (DelegationStart) eventType() string { return "delegation_start" }
func (Delegation) eventType() string      { return "delegation" }
func (AccessRefused) eventType() string   { return "access_refused" }
func (Progress) eventType() string        { return "progress" }
func (Artifact) eventType() string        { return "artifact" }
func (TaskFinish) eventType() string      { return "task_finish" }
func (InputRequired) eventType() string   { return "input_required" }
func (InputReceived) eventType() string   { return "input_received" }
func (TaskFailed) eventType() string      { return "task_failed" }
func (SessionEnd) eventType() string      { return "session_end" }
