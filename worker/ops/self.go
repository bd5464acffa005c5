package ops

import "context"

// abi is the version of the guest interface.
const abi = 1

type selfRequest struct{}

type selfAnswer struct {
	ABI             int        `json:"abi" doc:"The version of this interface: 1."`
	Ops             []string   `json:"ops" doc:"The ops this host has and this capsule may use."`
	SessionID       string     `json:"session_id"`
	Capsule         string     `json:"capsule"`
	Version         string     `json:"version"`
	URL             string     `json:"url" doc:"The capsule's own door."`
	Task            selfTask   `json:"task"`
	DeadlineAtMS    int64      `json:"deadline_at_ms,omitempty" doc:"When the capsule is ended, in milliseconds since 1970; absent: never."`
	CancelRequested bool       `json:"cancel_requested" doc:"The capsule is being ended."`
	Outstanding     []string   `json:"outstanding" doc:"Delegations of this task that run."`
	Limits          selfLimits `json:"limits"`
	Grants          selfGrants `json:"grants"`
}

type selfTask struct {
	TaskID    string      `json:"task_id"`
	ContextID string      `json:"context_id"`
	Message   selfMessage `json:"message"`
	Files     []struct{}  `json:"files" doc:"Always empty: handing files over is not built yet."`
}

type selfMessage struct {
	MessageID string     `json:"message_id"`
	Parts     []textPart `json:"parts"`
	Metadata  struct{}   `json:"metadata"`
}

type textPart struct {
	Text      string `json:"text"`
	MediaType string `json:"media_type"`
}

type selfLimits struct {
	MemoryBytes   uint64  `json:"memory_bytes"`
	TableElements uint64  `json:"table_elements"`
	DeadlineSecs  float64 `json:"deadline_secs,omitempty"`
	RequestBytes  int     `json:"request_bytes" doc:"The longest request."`
}

type selfGrants struct {
	SpawnAllow             []string `json:"spawn_allow"`
	EnvAllow               []string `json:"env_allow"`
	DelegationDeadlineSecs float64  `json:"delegation_deadline_secs,omitempty"`
}

// self tells a guest who it is, what it may do, and what it was given.
func self(_ context.Context, c *Calls, _ selfRequest) (selfAnswer, error) {
	session, task := c.assigned.GetSession(), c.assigned.GetTask()
	limits, grants := c.assigned.GetLimits(), c.assigned.GetGrants()
	answer := selfAnswer{
		ABI:       abi,
		SessionID: session.GetSessionId(),
		Capsule:   session.GetCapsule(),
		Version:   session.GetVersion(),
		URL:       session.GetUrl(),
		Task: selfTask{
			TaskID:    task.GetTaskId(),
			ContextID: task.GetContextId(),
			Message: selfMessage{
				MessageID: task.GetMessageId(),
				Parts:     []textPart{{Text: task.GetText(), MediaType: "text/plain"}},
			},
			Files: []struct{}{},
		},
		CancelRequested: c.canceled(),
		Outstanding:     c.children.Outstanding(),
		Limits: selfLimits{
			MemoryBytes:   limits.GetMemoryBytes(),
			TableElements: limits.GetTableElements(),
			DeadlineSecs:  secs(limits.GetDeadlineMs()),
			RequestBytes:  maxRequest,
		},
		Grants: selfGrants{
			SpawnAllow: append([]string{}, grants.GetSpawnAllow()...),
			EnvAllow:   append([]string{}, grants.GetEnvAllow()...),
		},
	}
	for _, o := range c.table {
		if o.need.granted(c) {
			answer.Ops = append(answer.Ops, o.name)
		}
	}
	if spawn.granted(c) {
		answer.Grants.DelegationDeadlineSecs = secs(grants.GetDelegationDeadlineMs())
	}
	if !c.deadlineAt.IsZero() {
		answer.DeadlineAtMS = c.deadlineAt.UnixMilli()
	}
	return answer, nil
}

func secs(ms int64) float64 { return float64(ms) / 1000 }
