package ledger

import (
	"time"

	"rookery/capsule/outcome"
)

// State says where in its life a session or a delegation is.
type State string

// The states, in the order they are passed through; Running and Ending may be
// skipped, Ended never changes again.
const (
	// Starting begins with the durable intent, before there is a process.
	Starting State = "starting"
	// Running begins when the worker has taken its task.
	Running State = "running"
	// Ending begins with the committed cause of an end on purpose.
	Ending State = "ending"
	// Ended is terminal: the process is gone and the outcome decided.
	Ended State = "ended"
)

// Live reports whether the state counts against the budgets: from intent to
// terminal.
func (s State) Live() bool { return s == Starting || s == Running || s == Ending }

// CauseKind says who or what ended something on purpose.
type CauseKind string

// The kinds of causes.
const (
	// CauseParent is the delegating capsule's own end-delegation.
	CauseParent CauseKind = "parent"
	// CauseOperator is a person or program at the operator API.
	CauseOperator CauseKind = "operator"
	// CauseDeadline is the delegation's own deadline.
	CauseDeadline CauseKind = "deadline"
	// CauseTask is the end of the task that delegated.
	CauseTask CauseKind = "task"
	// CauseParentGone is the end of the delegating session.
	CauseParentGone CauseKind = "parent_gone"
	// CauseDrain is the supervisor's own stop.
	CauseDrain CauseKind = "drain"
	// CauseSweep is a later supervisor that found what a dead one had left.
	CauseSweep CauseKind = "sweep"
)

// Cause is why something is ended on purpose. It is committed before anything is
// done to the process, and never changes once it is in a row.
type Cause struct {
	Kind CauseKind `json:"kind"`
	// Status is what the cause makes of the end when no child record stands.
	Status outcome.Status `json:"status"`
	Detail string         `json:"detail"`
	// By names the one who ended it, for killed_by.
	By string    `json:"by,omitempty"`
	At time.Time `json:"at"`
	// Tell says whether the delegating session is told the outcome.
	Tell bool `json:"tell,omitempty"`
	// RecordStood says that the child's own record was on disk when the cause was
	// committed, and so stands.
	RecordStood bool `json:"record_stood,omitempty"`
}

// Identity names a process beyond its pid, so that a reused pid is never taken
// for it. All zero: no process was ever recorded.
type Identity struct {
	PID int `json:"pid"`
	// StartTime is in clock ticks since boot, field 22 of /proc/PID/stat.
	StartTime uint64 `json:"start_time"`
	BootID    string `json:"boot_id"`
}

// Session is one launch of a capsule. Rows handed out are copies; what Cause
// points to must not be changed.
type Session struct {
	ID string `json:"session_id"`
	// RootID is the fleet's id of a root; empty for a delegated session.
	RootID  string         `json:"root_id,omitempty"`
	Capsule string         `json:"capsule"`
	Version string         `json:"version"`
	State   State          `json:"state"`
	Status  outcome.Status `json:"status,omitempty"`
	Detail  string         `json:"detail,omitempty"`
	// Host names the host that runs it; [LocalHost] when the caller names none.
	Host     string   `json:"host"`
	Identity Identity `json:"identity,omitzero"`
	// RunHex names the worker's run folder, run/w/<RunHex>.
	RunHex string `json:"run_hex,omitempty"`
	URL    string `json:"url,omitempty"`
	// SpawnedBy is the session that delegated; empty for a root.
	SpawnedBy    string `json:"spawned_by,omitempty"`
	DelegationID string `json:"delegation_id,omitempty"`
	// RootSessionID is the top of its tree; a root names itself.
	RootSessionID string `json:"root_session_id"`
	// Depth is 0 for a root.
	Depth     int    `json:"depth"`
	TaskID    string `json:"task_id,omitempty"`
	ContextID string `json:"context_id,omitempty"`
	Workdir   string `json:"workdir,omitempty"`
	// Scope is the folder beneath Workdir that the capsule sees as its own; empty for all of it.
	Scope      string `json:"scope,omitempty"`
	RecordsDir string `json:"records_dir,omitempty"`
	// WorkdirOurs says that the work folder was made for this session alone.
	WorkdirOurs bool      `json:"workdir_ours,omitempty"`
	Containment string    `json:"containment,omitempty"`
	Door        string    `json:"door,omitempty"`
	StartedAt   time.Time `json:"started_at"`
	ReadyAt     time.Time `json:"ready_at,omitzero"`
	EndedAt     time.Time `json:"ended_at,omitzero"`
	DurationMS  int64     `json:"duration_ms,omitempty"`
	// MaxRSS is in bytes.
	MaxRSS    int64  `json:"max_rss,omitempty"`
	CPUMS     int64  `json:"cpu_ms,omitempty"`
	TasksDone int    `json:"tasks_done,omitempty"`
	Cause     *Cause `json:"cause,omitempty"`
	// Note says what followed the end of a root's session: that it was given up.
	Note string `json:"note,omitempty"`
	// Rev counts the row's committed changes, from 1.
	Rev uint64 `json:"rev"`
}

// LocalHost is the only host there is now.
const LocalHost = "local"

// Answer is the child's bounded answer, as the parent is handed it.
type Answer struct {
	State outcome.ResultState `json:"state"`
	// Text holds at most outcome.MaxAnswerBytes; empty again when the parent has acknowledged it.
	Text      string `json:"text,omitempty"`
	Truncated bool   `json:"truncated,omitempty"`
	// WholePath is where the whole of a cut answer was kept, beneath the parent's
	// runtime folder.
	WholePath string `json:"whole_path,omitempty"`
}

// Delegation is one launch of a child for a parent. Rows handed out are copies;
// what Cause points to must not be changed.
type Delegation struct {
	ID string `json:"delegation_id"`
	// RequestID is unique among the parent's requests; RequestDigest tells a repeat
	// from another request under the same id.
	RequestID       string `json:"request_id"`
	RequestDigest   string `json:"request_digest"`
	ParentSessionID string `json:"parent_session_id"`
	ParentTaskID    string `json:"parent_task_id"`
	ContextID       string `json:"context_id"`
	RootSessionID   string `json:"root_session_id"`
	// SessionID is the child's session.
	SessionID string         `json:"session_id"`
	Capsule   string         `json:"capsule"`
	Version   string         `json:"version"`
	Depth     int            `json:"depth"`
	State     State          `json:"state"`
	Status    outcome.Status `json:"status,omitempty"`
	Detail    string         `json:"detail,omitempty"`
	// ReportedBy is "child" when its own record stands, else "launcher".
	ReportedBy string `json:"reported_by,omitempty"`
	// Delivered is set when the parent's worker has acknowledged the outcome.
	Delivered     bool      `json:"delivered,omitempty"`
	DeliveredAt   time.Time `json:"delivered_at,omitzero"`
	DeliveryError string    `json:"delivery_error,omitempty"`
	// LineageOnly says that the child rings no door.
	LineageOnly bool `json:"lineage_only,omitempty"`
	// DeadlineMS counts from ready.
	DeadlineMS int64     `json:"deadline_ms"`
	StartedAt  time.Time `json:"started_at"`
	EndedAt    time.Time `json:"ended_at,omitzero"`
	DurationMS int64     `json:"duration_ms,omitempty"`
	ResultPath string    `json:"result_path,omitempty"`
	Cause      *Cause    `json:"cause,omitempty"`
	KilledBy   string    `json:"killed_by,omitempty"`
	// Told says that the outcome was released to the parent.
	Told bool `json:"told,omitempty"`
	// Seq is the place among the parent's releases, from 1; 0 until released, and
	// for ever when nobody is told.
	Seq    uint64 `json:"seq,omitempty"`
	Answer Answer `json:"answer,omitzero"`
	// Message is the fenced text a model may be shown; empty again when the parent has acknowledged it.
	Message string `json:"message,omitempty"`
	// Rev counts the row's committed changes, from 1.
	Rev uint64 `json:"rev"`
}
