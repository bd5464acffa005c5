package tasks

import (
	"time"

	"rookery/capsule/outcome"
	workerv1 "rookery/proto/rookery/worker/v1"
	"rookery/worker/trace"
)

// openTrace begins the trace with the session and its task.
func (s *Session) openTrace() error {
	session, task, grants := s.Assigned.GetSession(), s.Assigned.GetTask(), s.Assigned.GetGrants()
	w, err := trace.Create(s.Records, session.GetSessionId(), s.traceFailed)
	if err != nil {
		return err
	}
	s.trace = w
	start := trace.SessionStart{
		CapsuleName: session.GetCapsule(), CapsuleVersion: session.GetVersion(),
		ContainmentAchieved: s.Containment, ContextID: task.GetContextId(),
		EffectiveGrants: trace.Grants{
			SpawnAllow: append([]string{}, grants.GetSpawnAllow()...),
			EnvAllow:   append([]string{}, grants.GetEnvAllow()...),

			ReadOnlyPaths: append([]string{}, s.Assigned.GetFilesystem().GetReadOnly()...),
			Preopens:      preopens(s.Assigned.GetFilesystem().GetMounts()),
		},
	}
	// An operator's task is trusted; another capsule's is not.
	origin, trust := "user", "trusted"
	if s.spawner != nil {
		start.SpawnedBy, start.DelegationID = s.spawner.SessionID, s.spawner.DelegationID
		origin, trust = "peer", "untrusted"
	}
	s.sessionEvent = w.Emit("", start)
	s.taskEvent = w.Emit(s.sessionEvent, trace.TaskStart{
		TaskID: task.GetTaskId(), ContextID: task.GetContextId(), Source: "task_md",
		Origin: origin, Trust: trust, Lane: origin, MessagePartsBytes: len(task.GetText()),
	})
	s.refused = refusals{budget: trace.Budget{Now: time.Now}, emit: func(e trace.AccessRefused) { w.Emit(s.taskEvent, e) }}
	return nil
}

// preopens words the mounts.
func preopens(mounts []*workerv1.Mount) []string {
	all := []string{}
	for _, m := range mounts {
		name := m.GetGuest()
		if !m.GetReadOnly() {
			name += ":rw"
		}
		all = append(all, name)
	}
	return all
}

// closeTrace writes the last lines. A trace that cannot be written spoils the end.
func (s *Session) closeTrace(end *ending) {
	if s.trace == nil {
		return
	}
	exit, detail := "ok", end.detail
	switch {
	case s.endAsked():
		exit, detail = "canceled", s.endedBy()
	case end.status != outcome.OK:
		exit = "failed"
	}
	s.trace.Emit(s.taskEvent, trace.TaskEnd{
		TaskID: s.Assigned.GetTask().GetTaskId(), ExitStatus: exit, DurationMS: end.lasted, Detail: outcome.BoundDetail(detail),
	})
	s.trace.Emit(s.sessionEvent, trace.SessionEnd{DurationMS: end.lasted, ExitStatus: exit})
	if err := s.trace.Close(); err != nil {
		s.traceFailed(err)
	}
	if cause := s.ownCause(); cause != "" {
		end.spoil(cause)
	}
}

// lasted is how long the session has lasted, in milliseconds.
func (s *Session) lasted() int64 { return time.Since(s.started).Milliseconds() }
