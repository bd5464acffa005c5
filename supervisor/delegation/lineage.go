package delegation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"rookery/capsule/atomicfile"
)

// lineage is records/<capsule>/<ses>.json: where a session comes from, written before it runs and out of its worker's reach.
type lineage struct {
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

func (r *run) writeLineage() error {
	s := r.session
	raw, err := json.MarshalIndent(lineage{
		SessionID: s.ID, RootID: s.RootID, CapsuleName: s.Capsule, Version: s.Version, SpawnedBy: s.SpawnedBy, DelegationID: s.DelegationID,
		RootSessionID: s.RootSessionID, Depth: s.Depth, TaskID: s.TaskID, ContextID: s.ContextID, Workdir: s.Workdir, StartedAt: s.StartedAt.UTC(),
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("lineage of %s: %w", s.ID, err)
	}
	path := r.tree.state.Lineage(s.Capsule, s.ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("lineage of %s: %w", s.ID, err)
	}
	return atomicfile.Write(path, append(raw, '\n'), 0o600)
}
