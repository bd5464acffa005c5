package rig

import (
	"encoding/json"

	"github.com/stretchr/testify/require"

	operatorv1 "rookery/proto/rookery/operator/v1"
	murmur "rookery/sdk/go"
)

// Plan is the task of examples/misbehave/parent.
type Plan struct {
	Delegations []Make  `json:"delegations"`
	Await       string  `json:"await,omitempty"`
	TimeoutSecs float64 `json:"timeout_secs,omitempty"`
}

// Make is one delegation of a Plan.
type Make struct {
	Capsule      string  `json:"capsule"`
	Version      string  `json:"version,omitempty"`
	Task         string  `json:"task,omitempty"`
	Wait         bool    `json:"wait,omitempty"`
	DeadlineSecs float64 `json:"deadline_secs,omitempty"`
	RequestKey   string  `json:"request_key,omitempty"`
	Count        int     `json:"count,omitempty"`
	End          bool    `json:"end,omitempty"`
}

// Text is the plan as a task.
func (p Plan) Text() string {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and numbers
	}
	return string(text)
}

// Refusal is how the capsules of examples/misbehave write down that the host refused.
type Refusal struct {
	Code         murmur.Code `json:"code"`
	Message      string      `json:"message"`
	Limit        int64       `json:"limit"`
	Value        int64       `json:"value"`
	RetryAfterMS int64       `json:"retry_after_ms"`
}

// Told is the answer of examples/misbehave/parent: everything its host said to it.
type Told struct {
	Delegations []struct {
		Capsule string          `json:"capsule"`
		Started *murmur.Started `json:"started"`
		Outcome *murmur.Outcome `json:"outcome"`
		Refused *Refusal        `json:"refused"`
	} `json:"delegations"`
	Awaits []struct {
		murmur.Awaited
		Refused *Refusal `json:"refused"`
	} `json:"awaits"`
}

// Outcomes are all outcomes that awaiting gave, by delegation: the parent should have been told each once.
func (p Told) Outcomes() map[string][]murmur.Outcome {
	all := map[string][]murmur.Outcome{}
	for _, a := range p.Awaits {
		for _, o := range a.Outcomes {
			all[o.DelegationID] = append(all[o.DelegationID], o)
		}
	}
	return all
}

// Told reads what a session of the capsule parent was told.
func (h *Host) Told(s *operatorv1.Session) Told {
	h.t.Helper()
	var p Told
	h.Report(s, &p)
	return p
}

// Report reads the JSON answer of an ended session that has to be ok.
func (h *Host) Report(s *operatorv1.Session, into any) {
	h.t.Helper()
	require.Equal(h.t, "ok", s.GetStatus(), "%s: %s", s.GetCapsule(), s.GetDetail())
	text := h.Answer(s.GetRecordsDir())
	require.NoError(h.t, json.Unmarshal([]byte(text), into), "%s", text)
}
