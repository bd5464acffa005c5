package records

import (
	"encoding/json"
	"fmt"
	"time"

	"rookery/capsule/beneath"
	"rookery/capsule/id"
)

// Lineage is records/<capsule>/<ses>.json: where a session comes from, written before it runs and out of its worker's reach.
type Lineage struct {
	SessionID     string    `json:"session_id"`
	RootID        string    `json:"root_id,omitempty"`
	CapsuleName   string    `json:"capsule_name"`
	Version       string    `json:"capsule_version"`
	SpawnedBy     string    `json:"spawned_by,omitempty"`
	DelegationID  string    `json:"delegation_id,omitempty"`
	RootSessionID string    `json:"root_session_id"`
	Depth         int       `json:"depth"`
	TaskID        string    `json:"task_id"`
	ContextID     string    `json:"context_id"`
	Workdir       string    `json:"workdir"`
	StartedAt     time.Time `json:"started_at"`
}

// maxLineage bounds the file; two paths of 4 KiB and ids are all it holds.
const maxLineage = 64 << 10

// readLineage reads the file of one session in the folder of its capsule.
func readLineage(folder *beneath.Dir, capsule, session string) (Lineage, error) {
	var l Lineage
	raw, err := folder.ReadRegular(session+".json", maxLineage)
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return l, fmt.Errorf("%s.json is no lineage: %w", session, err)
	}
	if l.SessionID != session || l.CapsuleName != capsule || (l.SpawnedBy == "") != (l.DelegationID == "") ||
		l.DelegationID != "" && !id.Delegation.Valid(l.DelegationID) || l.Depth < 0 {
		return l, fmt.Errorf("%s.json is not the lineage of %s", session, session)
	}
	return l, nil
}
