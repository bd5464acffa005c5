package delegation

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"rookery/capsule/atomicfile"
	"rookery/supervisor/records"
)

// writeLineage writes down where the session comes from, before it runs.
func (r *run) writeLineage() error {
	s := r.session
	raw, err := json.MarshalIndent(records.Lineage{
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
