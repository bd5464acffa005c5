package operator

import (
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	operatorv1 "rookery/proto/rookery/operator/v1"
	"rookery/supervisor/ledger"
)

func sessionRow(s ledger.Session) *operatorv1.Session {
	return &operatorv1.Session{
		SessionId: s.ID, RootId: s.RootID, Capsule: s.Capsule, Version: s.Version, State: sessionState(s.State), Status: string(s.Status),
		Detail: text(detail(s)), Pid: livePID(s), Url: s.URL, SpawnedBy: s.SpawnedBy, DelegationId: s.DelegationID, RootSessionId: s.RootSessionID,
		Depth: uint32(s.Depth), Containment: s.Containment, Door: s.Door, StartedAt: stamp(s.StartedAt), EndedAt: stamp(s.EndedAt),
		MemoryBytes: s.MaxRSS, CpuMs: s.CPUMS, TasksDone: uint64(s.TasksDone), RecordsDir: s.RecordsDir, Workdir: s.Workdir,
	}
}

// detail is how a session ended and, of a root, what followed.
func detail(s ledger.Session) string {
	if s.Detail == "" || s.Note == "" {
		return s.Detail + s.Note
	}
	return s.Detail + "; " + s.Note
}

// livePID is the process behind a session; an ended one has none, whoever has its number now.
func livePID(s ledger.Session) int32 {
	if !s.State.Live() {
		return 0
	}
	return int32(s.Identity.PID)
}

func delegationRow(d ledger.Delegation, child ledger.Session) *operatorv1.Delegation {
	return &operatorv1.Delegation{
		DelegationId: d.ID, Capsule: d.Capsule, Version: d.Version, ParentSessionId: d.ParentSessionID, RootSessionId: d.RootSessionID,
		ContextId: d.ContextID, SessionId: d.SessionID, Depth: uint32(d.Depth), State: delegationState(d.State), Status: string(d.Status),
		Detail: text(d.Detail), ReportedBy: d.ReportedBy, Delivered: d.Delivered, DeliveryError: text(d.DeliveryError), Pid: livePID(child), Url: child.URL,
		Workdir: child.Workdir, RecordsDir: child.RecordsDir, ResultPath: d.ResultPath, StartedAt: stamp(d.StartedAt), EndedAt: stamp(d.EndedAt),
		DurationMs: d.DurationMS, KilledBy: d.KilledBy,
	}
}

// text makes what may hold a capsule's or a file's bytes fit for protobuf, which refuses a whole answer for one byte that is not UTF-8.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

func sessionState(s ledger.State) operatorv1.SessionState {
	return map[ledger.State]operatorv1.SessionState{
		ledger.Starting: operatorv1.SessionState_SESSION_STATE_STARTING,
		ledger.Running:  operatorv1.SessionState_SESSION_STATE_RUNNING,
		ledger.Ending:   operatorv1.SessionState_SESSION_STATE_ENDING,
		ledger.Ended:    operatorv1.SessionState_SESSION_STATE_ENDED,
	}[s]
}

// The states of sessions and delegations are the same, number for number.
func delegationState(s ledger.State) operatorv1.DelegationState {
	return operatorv1.DelegationState(sessionState(s))
}

func ledgerStates(states []operatorv1.DelegationState) []ledger.State {
	var out []ledger.State
	for _, want := range states {
		for _, s := range []ledger.State{ledger.Starting, ledger.Running, ledger.Ending, ledger.Ended} {
			if delegationState(s) == want {
				out = append(out, s)
			}
		}
	}
	return out
}
