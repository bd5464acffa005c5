package tasks

import (
	"fmt"
	"path/filepath"

	"rookery/capsule/layout"
	"rookery/capsule/outcome"
)

// write leaves the record of the session: a root's end, or a delegated session's
// completion. The caller has claimed it.
func (s *Session) write(end ending) error {
	if s.spawner != nil {
		if err := outcome.WriteRecord(s.Records, s.completion(end)); err != nil {
			return fmt.Errorf("completion: %w", err)
		}
		return nil
	}
	err := outcome.WriteEnd(s.Records, outcome.End{
		SessionID:  s.Assigned.GetSession().GetSessionId(),
		TaskID:     s.Assigned.GetTask().GetTaskId(),
		Status:     end.status,
		Detail:     end.detail,
		DurationMS: end.lasted,
	})
	if err != nil {
		return fmt.Errorf("end: %w", err)
	}
	return nil
}

// completion is the record of a delegated session.
func (s *Session) completion(end ending) outcome.Record {
	session := s.Assigned.GetSession()
	record := outcome.Record{
		DelegationID:   s.spawner.DelegationID,
		CapsuleName:    session.GetCapsule(),
		CapsuleVersion: session.GetVersion(),
		SessionID:      session.GetSessionId(),
		Status:         end.status,
		Workdir:        session.GetWorkdir(),
		DurationMS:     end.lasted,
		Detail:         end.detail,
		ReportedBy:     outcome.Child,
	}
	if end.answered {
		record.ResultPath = filepath.Join(session.GetRecordsDir(), layout.ResultFile)
	}
	return record.Bounded()
}
